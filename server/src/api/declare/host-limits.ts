import { MINUTE_MS } from '../../lib/time.ts'

/** What a body may take unless its endpoint says otherwise; a larger one, or one of a size that is not told, comes from known callers only. */
export const USUAL_BODY_BYTES = 64 * 1024

/** The values, lists and objects of a JSON body, unless its endpoint says otherwise: small ones take fifty times their bytes of memory, and long. */
export const USUAL_VALUES = 10_000

/** The parameters of a query, a form or a signed request: far more than any endpoint takes. */
export const MAX_PARAMETERS = 1000

/** Bodies larger than this are let in as there is room for them. */
export const LARGE_BODY_BYTES = 1024 * 1024

/** Of all listeners of a process together: each byte of a large body takes about six of memory while it is handled. */
export const largeBodyLimits = { bytes: 64 * 1024 * 1024, mostWaiting: 64, longestWaitMs: 15_000 }

/** What a listener puts up with from its clients. */
export interface HostLimits {
  /** Of the request line and the headers together. */
  headerBytes: number
  /** To the end of a request's headers, from its first byte, or for the first request from the connection's opening. */
  headersTimeoutMs: number
  /** To the end of a request's body, from the same moment. */
  requestTimeoutMs: number
  /** To the end of an upload, which is a body that is streamed; less than the hour after which files of cut-off uploads are removed. */
  uploadTimeoutMs: number
  /** Without a byte of an upload. */
  uploadStalledMs: number
  /** How often the limits above are looked at, and so how late they may be. */
  checkIntervalMs: number
  /** Without a byte on a connection whose answer has begun: a client that does not read. */
  stalledTimeoutMs: number
  /** Between two requests on one connection. */
  keepAliveTimeoutMs: number
  /** After a last answer, for a client that is still sending; closed sooner, it would lose the answer. */
  lingerMs: number
  /** For what is in flight when the listener closes. */
  drainMs: number
  /** Requests of a connection that wait for the answers before theirs; one more ends the connection. */
  mostPipelined: number
  /** Open at the same time; one more is closed at once. */
  connections: number
}

export const hostLimits: HostLimits = {
  headerBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  uploadTimeoutMs: 30 * MINUTE_MS,
  uploadStalledMs: 30_000,
  checkIntervalMs: 5000,
  stalledTimeoutMs: 120_000,
  keepAliveTimeoutMs: 72_000,
  lingerMs: 1000,
  drainMs: 5000,
  mostPipelined: 100,
  connections: 10_000,
}
