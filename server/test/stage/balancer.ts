import { once } from 'node:events'
import { createServer, get, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'

const CHECK_EVERY_MS = 100

/** A load balancer that asks `/readyz` of each process, and leads a call to another one when a process does not listen. */
export interface Balancer extends AsyncDisposable {
  origin: string
  /** From here on calls are led to it while it is ready. Resolves once it is. */
  add(port: number): Promise<void>
  /** No call is led to it any more. Resolves once those that were have begun to be answered. */
  remove(port: number): Promise<void>
}

const isReady = (port: number) =>
  new Promise<boolean>((resolve) => {
    get({ host: '127.0.0.1', port, path: '/readyz', agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    }).on('error', () => resolve(false))
  })

/** Starts a balancer on loopback without any process behind it. */
export async function startBalancer(): Promise<Balancer> {
  const ready = new Map<number, boolean>()
  /** Calls without an answer, by port. */
  const open = new Map<number, number>()
  let turn = 0
  let isOver = false

  const check = async () => {
    while (!isOver) {
      for (const port of ready.keys()) {
        const is = await isReady(port)
        if (ready.has(port)) ready.set(port, is)
      }
      await after(CHECK_EVERY_MS)
    }
  }

  const pass = async (from: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = []
    for await (const piece of from) pieces.push(piece)
    const body = Buffer.concat(pieces)
    const { method, url: path, headers } = from
    turn += 1
    const able = [...ready].filter(([, is]) => is).map(([port]) => port)
    const inOrder = able.map((_, place) => able[(place + turn) % able.length]!)
    const send = ([port, ...others]: readonly number[]) => {
      if (port === undefined) return void response.writeHead(502).end()
      open.set(port, (open.get(port) ?? 0) + 1)
      let hasBegun = false
      const began = () => {
        hasBegun = true
        open.set(port, open.get(port)! - 1)
      }
      const onward = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
        began()
        response.writeHead(answer.statusCode!, answer.headers)
        response.flushHeaders()
        answer.on('error', () => response.destroy())
        answer.pipe(response)
      })
      onward.on('error', (error: NodeJS.ErrnoException) => {
        if (!hasBegun) began()
        // Nothing was sent.
        if (error.code === 'ECONNREFUSED') send(others)
        else response.destroy()
      })
      response.on('close', () => onward.destroy())
      onward.end(body)
    }
    send(inOrder)
  }

  const server = createServer((from, response) => void pass(from, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const checking = check()
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async add(port) {
      ready.set(port, false)
      while (!ready.get(port)) await after(CHECK_EVERY_MS)
    },
    async remove(port) {
      ready.delete(port)
      while ((open.get(port) ?? 0) > 0) await after(CHECK_EVERY_MS)
    },
    async [Symbol.asyncDispose]() {
      isOver = true
      await checking
      server.closeAllConnections()
      server.close()
    },
  }
}
