import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { type Readable, Transform, type Writable } from 'node:stream'
import { type Certificate, makeAuthority } from '../certificates/authority.ts'
import { keptAuthority } from '../certificates/kept-authority.ts'
import { linksTo, startsLink } from '../client/links.cjs'
import { everybody, whoKnows } from '../front/admission.ts'
import type { ProxyBefore } from '../front/elsewhere.ts'
import { startFront } from '../front/front.ts'
import { environmentOf } from './environment.ts'
import type { FoundPostern } from './find-postern.ts'

/** How long the beginning of a link waits for its rest: a prompt may end like one. */
const WAIT_MS = 50

/** Leads sign-in links in the output of a program to Postern. Bytes stay as they are; only what may be the beginning of a link waits. */
export function linkFilter(pages: string): Transform {
  const replace = linksTo(pages)
  let held = ''
  let timer: NodeJS.Timeout | undefined
  const release = () => {
    if (held !== '') filter.push(Buffer.from(replace(held), 'latin1'))
    held = ''
  }
  const filter = new Transform({
    transform(chunk: Buffer, _, done) {
      clearTimeout(timer)
      const text = held + chunk.toString('latin1')
      const from = startsLink(text)
      held = text.slice(from)
      if (held !== '') timer = setTimeout(release, WAIT_MS)
      done(null, Buffer.from(replace(text.slice(0, from)), 'latin1'))
    },
    flush(done) {
      clearTimeout(timer)
      release()
      done()
    },
  })
  return filter
}

/** What ends a child: an exit code, or a signal. */
type Ending = { code: number } | { signal: NodeJS.Signals }

interface ChildOptions {
  environment: Record<string, string | undefined>
  /** The origin of the pages where users sign in; undefined when links stay as they are. */
  pages: string | undefined
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGINT', 'SIGQUIT']
/** A terminal sends these to every process of the group, so the child has them already. */
const OF_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT']

const isAtTerminal = () => process.stdin.isTTY === true || process.stdout.isTTY === true || process.stderr.isTTY === true

/** Passes signals on to the child, and outlives them to tell how it ended. */
function passSignals(child: ChildProcess): Disposable {
  const isLeft = (signal: NodeJS.Signals) => OF_TERMINAL.includes(signal) && isAtTerminal()
  const handlers = SIGNALS.map((signal) => [signal, () => void (isLeft(signal) || child.kill(signal))] as const)
  for (const [signal, pass] of handlers) process.on(signal, pass)
  return {
    [Symbol.dispose]() {
      for (const [signal, pass] of handlers) process.off(signal, pass)
    },
  }
}

/** Passes output on with its links led to Postern. A reader that goes away is gone for the child too. */
function pass(from: Readable, to: Writable, pages: string): Promise<unknown> {
  const filter = from.pipe(linkFilter(pages))
  const ended = Promise.race([once(filter, 'end'), once(from, 'close')])
  to.on('error', () => from.destroy())
  filter.pipe(to, { end: false })
  return ended
}

/** Whether the child gets a pipe, so that links in what it prints can be led: never in place of a terminal. */
const isFiltered = (stream: NodeJS.WriteStream, pages: string | undefined): pages is string => pages !== undefined && stream.isTTY !== true

/** Starts a program with the terminal, the input and the signals of this process; answers how it ended. Rejects when it cannot be started. */
async function runChild(command: string, words: readonly string[], { environment, pages }: ChildOptions): Promise<Ending> {
  const outputs = [process.stdout, process.stderr]
  const child = spawn(command, words, {
    env: environment,
    stdio: ['inherit', ...outputs.map((stream) => (isFiltered(stream, pages) ? ('pipe' as const) : ('inherit' as const)))],
    windowsHide: false,
  })
  using _ = passSignals(child)
  const passed = [child.stdout, child.stderr].flatMap((from, place) => (from && pages ? [pass(from, outputs[place]!, pages)] : []))
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  await Promise.all(passed)
  return signal ? { signal } : { code: code ?? 1 }
}

/** The exit code by which a shell says that a signal ended a program. */
const codeOf = (ending: Ending): number => ('code' in ending ? ending.code : 128 + constants.signals[ending.signal])

type Environment = Record<string, string | undefined>

/** The proxy that the user's environment names for a host, so that a network which needs one goes on to work. Only proxies by HTTP. */
export function proxyBeforeOf(environment: Environment): ProxyBefore {
  const named = (name: string) => environment[name.toLowerCase()] || environment[name] || environment.all_proxy || environment.ALL_PROXY
  const not = (environment.no_proxy ?? environment.NO_PROXY ?? '').toLowerCase().split(/[\s,]+/)
  const isDirect = (host: string) =>
    ['localhost', '127.0.0.1', '[::1]'].includes(host) ||
    not.some((entry) => entry === '*' || (entry !== '' && (host === entry || host.endsWith(`.${entry.replace(/^\*?\./, '')}`))))
  return (host, scheme) => {
    const proxy = named(scheme === 'https' ? 'HTTPS_PROXY' : 'HTTP_PROXY')
    if (!proxy || isDirect(host.toLowerCase())) return undefined
    const url = URL.parse(proxy.includes('://') ? proxy : `http://${proxy}`)
    return url?.protocol === 'http:' ? url : undefined
  }
}

interface RunOptions {
  postern: FoundPostern
  command: readonly [string, ...string[]]
  environment: Record<string, string | undefined>
  /** The folder with the authority that is made once. */
  folder: string
  /** Leaves sign-in links as the program prints them. */
  keepLinks: boolean
  /** The port of the front; any free one when it is 0. */
  port: number
}

/** Where a folder cannot be written, an authority for this run alone does. */
function authorityIn(folder: string, hosts: readonly string[]): Certificate {
  try {
    return keptAuthority(resolve(folder, 'ca.pem'), hosts)
  } catch (error) {
    if (!['EACCES', 'EROFS', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return makeAuthority(hosts)
  }
}

/** Runs a program whose calls of the taken-over hosts lead to a Postern; answers its exit code. Rejects when it cannot be started. */
export async function runTakenOver({ postern, command, environment, folder, keepLinks, port }: RunOptions): Promise<number> {
  const hosts = Object.keys(postern.hosts)
  const authority = authorityIn(folder, hosts)
  const password = randomBytes(16).toString('hex')
  // Who names a port gives it to clients by hand. Of these Java sends no credentials to a proxy.
  const admission = port === 0 ? whoKnows(password) : everybody
  await using front = await startFront({ hosts: postern.hosts, authority, port, proxyBefore: proxyBeforeOf(environment), admission })
  const pages = keepLinks ? undefined : postern.url
  using led = environmentOf(environment, { hosts, port: front.port, password, ca: authority.cert, pages })
  const [program, ...words] = command
  return codeOf(await runChild(program, words, { environment: led.variables, pages }))
}
