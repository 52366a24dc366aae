import type { Caller } from '../../api/declare/auth.ts'
import { pathOf, type RawAnswer, type RawRequest } from '../../api/declare/raw-request.ts'

/** Told of each call of a host as it is answered, with how long that took. */
export type RecordCall = (request: RawRequest, answer: RawAnswer, durationMs: number) => void

/** A call as it came and was answered. It holds secrets: only `callView` shows it. */
export interface RecordedCall {
  /** From 1. */
  sequence: number
  atMs: number
  durationMs: number
  request: Pick<RawRequest, 'method' | 'target' | 'headers'>
  requestBody: RecordedBody
  answer: Pick<RawAnswer, 'status' | 'headers' | 'endpoint' | 'fault' | 'refused' | 'caused' | 'unmatched'>
  answerBody: RecordedBody
  caller: Caller | undefined
}

/** A body, and how long it was; undefined if it is not kept. */
export interface RecordedBody {
  kept: string | Buffer | undefined
  bytes: number
}

/** How many calls are kept. */
export const MAX_CALLS = 1000
const MAX_TOTAL_BYTES = 16 * 1024 * 1024
/** Larger bodies are not kept. */
const MAX_BODY_BYTES = 64 * 1024

/** The last calls of the public hosts. */
export interface Ledger {
  record: RecordCall
  /** Those with a higher sequence number that match, oldest first. */
  list(after: number, matches: (call: RecordedCall) => boolean, limit: number): RecordedCall[]
  /** The newest that match, newest first. */
  last(count: number, matches?: (call: RecordedCall) => boolean): RecordedCall[]
  /** Undefined for one that is not kept any more. */
  find(sequence: number): RecordedCall | undefined
  /** Forgets those that match. Returns how many there were. */
  clear(matches?: (call: RecordedCall) => boolean): number
}

const bodyOf = (body: string | Buffer): RecordedBody => {
  const bytes = Buffer.byteLength(body)
  return { kept: bytes > MAX_BODY_BYTES ? undefined : body, bytes }
}

const keptBytes = ({ requestBody, answerBody, answer: { unmatched = [] } }: RecordedCall) =>
  [requestBody, answerBody].reduce((sum, { kept, bytes }) => sum + (kept === undefined ? 0 : bytes), 0) +
  unmatched.reduce((sum, { text = '' }) => sum + Buffer.byteLength(text), 0)

/** A body that was not read, because it was refused or is an upload, is as long as the client said. */
const requestBodyOf = ({ body, headers }: RawRequest): RecordedBody =>
  body === null ? { kept: undefined, bytes: Number(headers['content-length'] ?? 0) } : bodyOf(body)

/** The operator's calls, also where they are refused, are in the audit log. Who reads why a call was refused is no client of the API. */
const isLeftOut = (target: string) => /^\/(operator|metrics|oauth\/explanations)\b/.test(pathOf(target))

/** `endpointNames`: those of the public hosts. Pages, such as the reference, are not kept. `recorded` is told of each call. */
export function createLedger(
  now: () => number,
  endpointNames: () => ReadonlySet<string>,
  recorded: (call: RecordedCall) => void = () => {},
): Ledger {
  let calls: RecordedCall[] = []
  let count = 0
  let bytes = 0

  const isKept = ({ target }: RawRequest, { endpoint }: RawAnswer) =>
    !isLeftOut(target) && (endpoint === undefined || endpointNames().has(endpoint))

  return {
    record(request, answer, durationMs) {
      if (!isKept(request, answer)) return
      count += 1
      const { method, target, headers } = request
      const { status, endpoint, fault, refused, caused, unmatched, caller } = answer
      const call: RecordedCall = {
        sequence: count,
        atMs: now(),
        durationMs,
        caller,
        request: { method, target, headers },
        requestBody: requestBodyOf(request),
        answer: { status, headers: answer.headers, endpoint, fault, refused, caused, unmatched },
        answerBody: bodyOf(answer.body),
      }
      calls.push(call)
      bytes += keptBytes(call)
      while (calls.length > MAX_CALLS || bytes > MAX_TOTAL_BYTES) bytes -= keptBytes(calls.shift()!)
      recorded(call)
    },
    list(after, matches, limit) {
      const found: RecordedCall[] = []
      for (const call of calls) {
        if (found.length === limit) break
        if (call.sequence > after && matches(call)) found.push(call)
      }
      return found
    },
    last(count, matches = () => true) {
      const found: RecordedCall[] = []
      for (let place = calls.length - 1; place >= 0 && found.length < count; place--) if (matches(calls[place]!)) found.push(calls[place]!)
      return found
    },
    find: (sequence) => calls.find((call) => call.sequence === sequence),
    clear(matches = () => true) {
      const before = calls.length
      calls = calls.filter((call) => !matches(call))
      bytes = calls.reduce((sum, call) => sum + keptBytes(call), 0)
      return before - calls.length
    },
  }
}
