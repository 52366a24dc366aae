import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { type Agent, request as requestSafely } from 'node:https'
import { PATIENCE_MS } from './pause.ts'

/** A line of a stream: an event, or why the connection ends. */
export interface StreamLine {
  data?: { event_uuid: string; event_type: string; filter: Record<string, string>; tag?: string; payload: Record<string, unknown> }
  errors?: { title: string; disconnect_type: string; detail: string; type: string }[]
}

/** A client of a stream, as simple as one can be: it takes bytes apart at CR LF, wherever they are cut. */
export class StreamClient {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Every line that is not empty. */
  readonly lines: StreamLine[] = []
  /** The same lines as they came. */
  readonly texts: string[] = []
  /** How many empty lines came. */
  keepAlives = 0
  hasEnded = false
  /** The body of a refusal. */
  text = ''
  readonly #response: IncomingMessage
  readonly #waiting = new Set<() => void>()

  constructor(response: IncomingMessage, isRead: boolean) {
    this.#response = response
    this.status = response.statusCode!
    this.headers = response.headers
    if (isRead) this.read()
    response.once('close', () => {
      this.hasEnded = true
      this.#changed()
    })
    response.on('error', () => {})
  }

  /** Begins to read. */
  read() {
    let rest = ''
    this.#response.setEncoding('utf8').on('data', (piece: string) => {
      this.text += this.status === 200 ? '' : piece
      const lines = (rest + piece).split('\r\n')
      rest = lines.pop()!
      for (const line of lines) this.#take(line)
      this.#changed()
    })
  }

  #take(line: string) {
    if (line === '') this.keepAlives += 1
    else {
      this.texts.push(line)
      this.lines.push(JSON.parse(line))
    }
  }

  #changed() {
    for (const look of this.#waiting) look()
  }

  get events() {
    return this.lines.flatMap(({ data }) => data ?? [])
  }

  get uuids(): string[] {
    return this.events.map(({ event_uuid }) => event_uuid)
  }

  /** Why the server ended the connection. */
  get disconnect(): string | undefined {
    return this.lines.at(-1)?.errors?.[0]?.disconnect_type
  }

  /** Resolves once this is so; rejects after a minute, or if the connection ends before. */
  when(isSo: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        this.#waiting.delete(look)
        clearTimeout(timer)
        settle()
      }
      const look = () => {
        if (isSo()) end(resolve)
        else if (this.hasEnded) end(() => reject(new Error(`the connection ended: ${isSo}; ${JSON.stringify(this.lines.at(-1))}`)))
      }
      const timer = setTimeout(() => end(() => reject(new Error(`still not so after ${PATIENCE_MS / 1000} s: ${isSo}`))), PATIENCE_MS)
      this.#waiting.add(look)
      look()
    })
  }

  /** Resolves with the events once there are so many. */
  async received(count: number) {
    await this.when(() => this.events.length >= count)
    return this.events
  }

  /** Resolves with the disconnect type once the connection has ended. */
  async ended() {
    await this.when(() => this.hasEnded)
    return this.disconnect
  }

  /** Leaves. */
  close() {
    this.#response.destroy()
  }

  [Symbol.dispose]() {
    this.close()
  }
}

interface Connecting {
  /** Whether it reads from the beginning. */
  isRead?: boolean
  method?: string
  /** Past a proxy that speaks TLS. */
  agent?: Agent
}

/** Connects to a stream; answers once the headers are there. */
export function connectTo(
  baseUrl: string,
  token: string,
  query = '',
  { isRead = true, method = 'GET', agent }: Connecting = {},
): Promise<StreamClient> {
  return new Promise((resolve, reject) => {
    const options = { method, headers: { authorization: `Bearer ${token}` }, agent: agent ?? (false as const) }
    const open = agent ? requestSafely : request
    const sent = open(`${baseUrl}/2/activity/stream${query}`, options, (response) => resolve(new StreamClient(response, isRead)))
    sent.on('error', reject)
    sent.end()
  })
}

/** The same, where it must succeed. */
export async function openStream(baseUrl: string, token: string, query = ''): Promise<StreamClient> {
  const client = await connectTo(baseUrl, token, query)
  if (client.status !== 200) await client.when(() => client.hasEnded)
  assert.equal(client.status, 200, client.text)
  return client
}
