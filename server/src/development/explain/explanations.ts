import { LRUCache } from 'lru-cache'
import type { Clock } from '../../lib/clock.ts'
import { randomAlphanumeric } from '../../lib/crypto.ts'
import { MINUTE_MS } from '../../lib/time.ts'

/** A parameter of a signed request as it was received, and as it is in the base string. */
export interface ExplainedParameter {
  name: string
  value: string
  /** Where it was sent: several places if it was repeated, which counts once. */
  from: ('header' | 'query' | 'form')[]
  /** Undefined if it is not part of the base string. */
  inBase?: string
}

/** What the server compared a rejected signature with. */
export interface ExplainedSignature {
  parameters: readonly ExplainedParameter[]
  /** How many more parameters there were. */
  more: number
  /** The base strings with which the signature was compared, most likely first. */
  bases: readonly string[]
  /** The base string that the client signed, if it was found. */
  signedBase?: string
}

/** Explains why a call was refused. Contains no secret, no expected signature and no complete token. */
export interface Explanation {
  atMs: number
  method: string
  path: string
  /** What the client was told: `code 32: Could not authenticate you.` */
  answer: string
  /** The likely mistake and what to do, in sentences. */
  sentences: readonly string[]
  /** Only of a rejected signature. */
  signature?: ExplainedSignature
}

const MAX_EXPLANATIONS = 100
const LIFETIME_MS = 15 * MINUTE_MS
/** Letters and digits alone: an id that began with `-` would be an option of `postern explain`. */
const ID_LENGTH = 24

/** The recent explanations of refused calls. */
export interface Explanations {
  /** Keeps an explanation that is being made. Returns its URL, which cannot be guessed. */
  keep(explained: Promise<Explanation>): string
  /** Undefined for an unknown id, or if the explanation is older than 15 minutes or was evicted by 100 newer ones. */
  find(id: string): Promise<Explanation> | undefined
}

interface ExplanationsOptions {
  /** The origin of the pages. */
  origin: () => string
  /** Real time counts: moving the clock ends no explanation. */
  clock: Pick<Clock, 'monotonic'>
}

/** Keeps the last 100 explanations for 15 minutes, in the memory of this process. */
export function createExplanations({ origin, clock }: ExplanationsOptions): Explanations {
  const cache = new LRUCache<string, { keptAtMs: number; explained: Promise<Explanation> }>({ max: MAX_EXPLANATIONS })
  return {
    keep(explained) {
      const id = randomAlphanumeric(ID_LENGTH)
      explained.catch(() => {})
      cache.set(id, { keptAtMs: clock.monotonic(), explained })
      return `${origin()}/oauth/explanations/${id}`
    },
    find(id) {
      const found = cache.peek(id)
      return found && clock.monotonic() - found.keptAtMs < LIFETIME_MS ? found.explained : undefined
    },
  }
}
