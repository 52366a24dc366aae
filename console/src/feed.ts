import { signal } from '@preact/signals'
import { ApiError, operator, send } from './api.ts'
import { apiUrl, base } from './base.ts'
import type { Update } from './server-types.ts'
import { serverSaid } from './time.tsx'

type Connection = 'connecting' | 'live' | 'lost'

interface Hello {
  worker: number
  processes: number
  /** False while the process that answers does not hear the others. */
  covers_all: boolean
  now: string
}

/** A message of the tab that has the stream, to the others. `id` is how far it has come. */
type Shared = { id?: string | undefined } & (
  | { type: 'ask' }
  | { type: 'state'; connection: Connection; hello: Hello | undefined }
  | { type: 'updates'; updates: Update[]; skipped: number }
  | { type: 'resync' }
)

export const connection = signal<Connection>('connecting')
/** Which process the feed shows, once it has said so. */
export const hello = signal<Hello | undefined>(undefined)

interface Listener {
  updates(updates: readonly Update[], skipped: number): void
  /** The lists must be read again. */
  resync(): void
}

const listeners = new Set<Listener>()

/** Listens until the function that it returns is called. */
export function listen(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** How far the stream has come, whichever tab has it: the next one goes on from there. */
let lastId: string | undefined

function receive(message: Shared) {
  if (message.id) lastId = message.id
  if (message.type === 'state') {
    connection.value = message.connection
    hello.value = message.hello
    if (message.hello) serverSaid(message.hello.now)
  }
  if (message.type === 'resync') for (const listener of listeners) listener.resync()
  if (message.type !== 'updates') return
  const latest = message.updates.findLast(({ kind }) => kind !== 'attempt')
  if (latest) serverSaid(latest.at)
  for (const listener of listeners) listener.updates(message.updates, message.skipped)
}

const NAME = `postern-feed ${base.href}`
const channel = new BroadcastChannel(NAME)

/** Tells this tab and the others. */
function share(message: Shared) {
  receive(message)
  channel.postMessage({ ...message, id: lastId })
}

const shareState = (state: Connection) => share({ type: 'state', connection: state, hello: hello.value })

/** The messages of a stream of server-sent events, each with its lines. */
async function* messagesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>, heard: () => void) {
  let text = ''
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    heard()
    text += piece
    const blocks = text.split('\n\n')
    text = blocks.pop()!
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const),
      )
      if (fields.has('event')) yield { event: fields.get('event')!, data: fields.get('data')!, id: fields.get('id') }
    }
  }
}

/** Nothing for so long: the connection is dead, although nobody has closed it. The server writes every 15 seconds. */
const SILENT_MS = 40_000
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 5000

function take({ event, data, id }: { event: string; data: string; id: string | undefined }) {
  if (id) lastId = id
  const said = JSON.parse(data)
  if (event === 'hello') {
    hello.value = said
    shareState('live')
  }
  if (event === 'updates') share({ type: 'updates', updates: said.updates, skipped: said.skipped ?? 0 })
  if (event === 'resync') share({ type: 'resync' })
}

/** Reads one stream to its end. */
async function readStream() {
  const silence = new AbortController()
  let timer = 0
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENT_MS)
  }
  try {
    heard()
    const answer = await send('GET', apiUrl('feed'), { headers: lastId ? { 'last-event-id': lastId } : {}, signal: silence.signal })
    for await (const message of messagesOf(answer.body!, heard)) take(message)
  } finally {
    clearTimeout(timer)
  }
}

/** Reads streams as long as somebody is signed in: one that ends is followed by another. */
async function lead() {
  channel.onmessage = ({ data }: MessageEvent<Shared>) => {
    if (data.type === 'ask') shareState(connection.value)
  }
  let waitMs = FIRST_WAIT_MS
  while (operator.value) {
    const startedMs = Date.now()
    await readStream().catch((error) => {
      if (!(error instanceof ApiError)) return
    })
    if (!operator.value) return
    shareState('lost')
    waitMs = Date.now() - startedMs > LONGEST_WAIT_MS ? FIRST_WAIT_MS : Math.min(waitMs * 2, LONGEST_WAIT_MS)
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}

let isFollowing = false

/**
 * Follows the feed. The tabs of a browser share one stream, because it may open only six connections to a server: the tab that holds the lock
 * reads it, and the next one takes over when it is closed. Without TLS, except on this machine, browsers have no locks: each tab reads its own.
 */
export function follow() {
  if (isFollowing) return
  isFollowing = true
  channel.onmessage = ({ data }: MessageEvent<Shared>) => receive(data)
  channel.postMessage({ type: 'ask' } satisfies Shared)
  const done = () => {
    isFollowing = false
  }
  if (navigator.locks) void navigator.locks.request(NAME, lead).finally(done)
  else void lead().finally(done)
}
