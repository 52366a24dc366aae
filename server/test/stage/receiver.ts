import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createReceiver, type ReceivedEvent } from '@postern/receiver'
import { realTimer } from '../../src/lib/clock.ts'

/** A request whose answer waits for the test. It is answered once. */
export interface Held {
  request: IncomingMessage
  /** The receiver answers it now. */
  pass(): void
  /** Answers with this status instead. */
  fail(status: number): void
}

const PATIENCE_MS = 120_000

type Waiter = { enough: () => boolean; resolve: () => void; cancel: () => void }

/** A real receiver on a free port of loopback: verifies, answers challenges, drops duplicates, and keeps what came. */
export class TestReceiver {
  readonly url: string
  /** Events in the order in which they came, duplicates dropped. */
  readonly events: ReceivedEvent[] = []
  /** How many challenges came. */
  challenges = 0
  /** How many POSTs came, refused and repeated ones too. */
  posts = 0
  /** Answers instead of the receiver when it is set and answers true. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  /** Requests for which it answers true wait in `held`, open, until the test lets them go. */
  holds: ((request: IncomingMessage) => boolean) | undefined
  readonly held: Held[] = []
  readonly #waiting = new Set<Waiter>()
  readonly #close: () => Promise<void>

  constructor(url: string, close: () => Promise<void>) {
    this.url = url
    this.#close = close
  }

  /** Something happened: whoever waits looks again. */
  changed() {
    for (const waiter of this.#waiting) {
      if (!waiter.enough()) continue
      this.#waiting.delete(waiter)
      waiter.cancel()
      waiter.resolve()
    }
  }

  /** Holds these requests from now on. */
  hold(method: 'GET' | 'POST') {
    this.holds = (request) => request.method === method
  }

  /** Resolves with the requests that are held, once there are `count`. */
  async holding(count: number): Promise<readonly Held[]> {
    await this.when(() => this.held.length >= count)
    return this.held
  }

  /** Holds nothing any more, and answers what is held. */
  letGo() {
    this.holds = undefined
    for (const held of this.held.splice(0)) held.pass()
  }

  /** Answers each POST with a status and nothing else from now on, and challenges as before. */
  answerPosts(status: number, headers?: Record<string, string>) {
    this.intercept = (request, response) => request.method === 'POST' && answerWith(response, status, headers)
  }

  /** Resolves once requests have made it so. Rejects after 120 s, so that a test which fails also ends. */
  when(enough: () => boolean): Promise<void> {
    if (enough()) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const timer = realTimer(PATIENCE_MS, () => {
        this.#waiting.delete(waiter)
        reject(new Error(`still not so after ${PATIENCE_MS / 1000} s, ${this.posts} POSTs and ${this.challenges} challenges: ${enough}`))
      })
      const waiter = { enough, resolve, cancel: timer.cancel }
      this.#waiting.add(waiter)
    })
  }

  /** Resolves once `count` different events have come. */
  async received(count: number): Promise<ReceivedEvent[]> {
    await this.when(() => this.events.length >= count)
    return this.events
  }

  [Symbol.asyncDispose]() {
    for (const { cancel } of this.#waiting) cancel()
    return this.#close()
  }
}

export async function startReceiver(secrets: readonly string[], path = '/webhook'): Promise<TestReceiver> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  const close = () =>
    new Promise<void>((closed) => {
      server.closeAllConnections()
      server.close(() => closed())
    })
  const test = new TestReceiver(`http://127.0.0.1:${port}${path}`, close)
  const onEvent = (event: ReceivedEvent) => {
    test.events.push(event)
    test.changed()
  }
  const receiver = createReceiver({ secrets, onEvent, dedupeCacheSize: 1_000_000, log: () => {} })
  server.on('request', (request, response) => {
    if (request.method === 'GET') test.challenges += 1
    else test.posts += 1
    const intercepted = test.intercept?.(request, response)
    const isHeld = !intercepted && test.holds?.(request)
    if (isHeld) {
      let isOpen = true
      const once = (answer: () => void) => {
        if (isOpen) answer()
        isOpen = false
      }
      const pass = () => once(() => receiver.node(request, response))
      const fail = (status: number) => once(() => answerWith(response, status))
      test.held.push({ request, pass, fail })
    }
    test.changed()
    if (!intercepted && !isHeld) receiver.node(request, response)
  })
  return test
}

/** Answers with a status and nothing else, once the request's body has come. */
export function answerWith(response: ServerResponse, status: number, headers: Record<string, string> = {}): true {
  response.req.resume().once('end', () => response.writeHead(status, headers).end())
  return true
}
