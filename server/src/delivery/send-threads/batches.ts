import type { Listener } from '../send/address-guard.ts'
import type { Answered, Failed, Outcome } from '../send/outcome.ts'
import type { Outgoing, SenderOptions } from '../send/sender.ts'

/** What a sender thread is started with. */
export interface SenderThreadData {
  options: Omit<SenderOptions, 'clock' | 'refuse'>
}

/** Ends the requests of a sender thread, and then the thread. */
export const CLOSE = 'close'

/** A request without a receiver of its body. */
export type ThreadRequest = Omit<Outgoing, 'receiver'>

/** Something about the request with this number. */
export type Numbered<T> = readonly [id: number, about: T]

/** A row is cloned in three quarters of the time that an object takes. */
type RequestRow = readonly [
  id: number,
  method: Outgoing['method'],
  url: string,
  headers: string[],
  timeoutMs: number,
  bodyBytes: number | undefined,
]

/** Requests of one turn of the event loop. */
export interface RequestBatch {
  rows: readonly RequestRow[]
  /** One after the other. */
  bodies: ArrayBuffer | undefined
  /** Postern's own listeners when they have changed, for these requests and all later ones. */
  listeners: readonly Listener[] | undefined
}

type OutcomeRow = Numbered<Failed | (Omit<Answered, 'body'> & { bodyBytes: number })>

/** Outcomes of one turn of the event loop. */
export interface OutcomeBatch {
  rows: readonly OutcomeRow[]
  /** One after the other. */
  bodies: ArrayBuffer | undefined
}

/**
 * Joins bodies in a buffer that can be moved to another thread. They are copied: small buffers share a slab, which would be cloned whole for
 * each of them.
 */
function joinBodies(bodies: readonly (Buffer | undefined)[]): ArrayBuffer | undefined {
  const bytes = bodies.reduce((sum, body) => sum + (body?.length ?? 0), 0)
  if (bytes === 0) return undefined
  const joined = new Uint8Array(bytes)
  let at = 0
  for (const body of bodies) {
    if (body === undefined) continue
    joined.set(body, at)
    at += body.length
  }
  return joined.buffer
}

/** Takes bodies from the front, as views. */
function createBodyReader(joined: ArrayBuffer = new ArrayBuffer(0)) {
  let at = 0
  return (bytes: number) => {
    at += bytes
    return Buffer.from(joined, at - bytes, bytes)
  }
}

/** What is moved, not copied, with a batch. */
export const movedWith = ({ bodies }: RequestBatch | OutcomeBatch): ArrayBuffer[] => (bodies ? [bodies] : [])

export const urlOf = ({ to }: Pick<Outgoing, 'to'>): string => (typeof to === 'string' ? to : to.origin + to.path)

export const packRequests = (requests: readonly Numbered<ThreadRequest>[], listeners: readonly Listener[] | undefined): RequestBatch => ({
  rows: requests.map(([id, out]) => [id, out.method, urlOf(out), out.headers, out.timeoutMs, out.body?.length]),
  bodies: joinBodies(requests.map(([, { body }]) => body)),
  listeners,
})

/** Bodies are copied, so that one that waits long for its answer does not keep those of the whole batch in memory. */
export function unpackRequests({ rows, bodies }: RequestBatch): Numbered<ThreadRequest>[] {
  const take = createBodyReader(bodies)
  return rows.map(([id, method, to, headers, timeoutMs, bodyBytes]) => {
    const body = bodyBytes === undefined ? undefined : Buffer.from(take(bodyBytes))
    return [id, { method, to, headers, body, timeoutMs }]
  })
}

function rowOf([id, outcome]: Numbered<Outcome>): OutcomeRow {
  if (outcome.kind === 'failed') return [id, outcome]
  const { kind, status, headers, body, truncated, latencyMs, restricted } = outcome
  return [id, { kind, status, headers, bodyBytes: body.length, truncated, latencyMs, restricted }]
}

export const packOutcomes = (outcomes: readonly Numbered<Outcome>[]): OutcomeBatch => ({
  rows: outcomes.map(rowOf),
  bodies: joinBodies(outcomes.map(([, outcome]) => (outcome.kind === 'answered' ? outcome.body : undefined))),
})

export function unpackOutcomes({ rows, bodies }: OutcomeBatch): Numbered<Outcome>[] {
  const take = createBodyReader(bodies)
  return rows.map(([id, outcome]) => {
    if (outcome.kind === 'failed') return [id, outcome]
    const { kind, status, headers, bodyBytes, truncated, latencyMs, restricted } = outcome
    return [id, { kind, status, headers, body: take(bodyBytes), truncated, latencyMs, restricted }]
  })
}
