import type { Socket } from 'node:net'
import { makeAuthority } from './certificates/authority.ts'
import { leadHosts } from './client/lead-hosts.cjs'
import { type Admission, nobody } from './front/admission.ts'
import { type Front, startFront } from './front/front.ts'

/** Which origin of Postern each host leads to: `api.x.com` → `http://127.0.0.1:4000`. `GET /.well-known/postern` answers them. */
export type Hosts = Readonly<Record<string, string>>

/** Hosts that lead to a Postern, until it is disposed. */
export interface TakeOver extends Disposable, AsyncDisposable {
  /** Resolves once the listener listens. Connections wait for it, so that nobody has to. */
  readonly ready: Promise<void>
  /** The certificate that signs for the hosts, for clients outside of this process. */
  readonly ca: string
  /**
   * The URL of the listener, as a proxy for clients outside of this process. Known once it is ready. The listener passes other hosts on from
   * when this is first asked for: until then it leads to Postern alone.
   */
  readonly proxyUrl: Promise<string>
}

/** The take-overs of this process, whose connections may wait in pools. */
const running = new Set<{ endIdle(): void }>()

/** Ends the connections of other take-overs that wait in a pool, so that the next request goes where it leads now. */
function endIdleOf(sockets: ReadonlySet<Socket>, front: Front | undefined): void {
  const busy = front?.busyPorts()
  for (const socket of sockets) if (!socket.connecting && !busy?.has(socket.localPort!)) socket.destroy()
}

/**
 * Leads the hosts that clients have built in, and every name below them, to a Postern, for all connections that this process makes from now on: `http`, `https`,
 * `fetch`, undici and what is built on them. Of several at once the last counts. Connections that exist already cannot be moved; those
 * that wait in the shared agents of `http` and `https` are ended. Worker threads and child processes are not led: `postern run` leads them.
 */
export function takeOver(hosts: Hosts): TakeOver {
  const authority = makeAuthority(Object.keys(hosts))
  const sockets = new Set<Socket>()
  let front: Front | undefined
  let isOver = false
  let isProxy = false
  const admission: Admission = (request) => (isProxy ? undefined : nobody(request))
  const started = startFront({ hosts, authority, admission }).then((made) => {
    front = made
    made.unref()
    return isOver ? made.close() : undefined
  })
  const port = started.then(() => front!.port)
  const proxyUrl = port.then((known) => `http://127.0.0.1:${known}`)
  // Connections say why there is no listener. Who asks for none of these has no rejection to handle.
  for (const promise of [started, port, proxyUrl]) promise.catch(() => {})

  const own = { endIdle: () => endIdleOf(sockets, front) }
  for (const other of running) other.endIdle()
  running.add(own)
  const lead = {
    hosts: new Set(Object.keys(hosts)),
    ca: authority.cert,
    port: port as number | Promise<number>,
    led(socket: Socket) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    },
  }
  const undo = leadHosts(lead)
  port.then(
    (known) => {
      lead.port = known
    },
    () => {},
  )

  const end = async () => {
    if (isOver) return
    isOver = true
    undo()
    running.delete(own)
    for (const socket of sockets) socket.destroy()
    await started.then(
      () => front?.close(),
      () => {},
    )
  }
  return {
    ready: started,
    ca: authority.cert,
    get proxyUrl() {
      isProxy = true
      return proxyUrl
    },
    [Symbol.dispose]: () => void end(),
    [Symbol.asyncDispose]: end,
  }
}
