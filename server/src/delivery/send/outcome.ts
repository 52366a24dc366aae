import { printable, shorten } from './printable.ts'

const LONGEST_MESSAGE = 500

/** What failed, in the order in which it can fail. */
export type Stage =
  | 'name_not_resolved'
  | 'address_not_allowed'
  | 'connection_refused'
  | 'connection_failed'
  | 'tls'
  | 'timeout'
  | 'protocol'
  | 'connection_lost'
  | 'shutting_down'

interface Measured {
  /** From the call to the outcome, in whole milliseconds. */
  latencyMs: number
  /**
   * Not known to be public: the name was not resolved, or an address was refused, or only the allow list lets it through and
   * it is not loopback. Details may map a private network.
   */
  restricted: boolean
}

/** A whole answer came, or as much of it as is read. */
export interface Answered extends Measured {
  kind: 'answered'
  status: number
  headers: AnswerHeaders
  /** At most 16 KB. */
  body: Buffer
  /** The answer was longer; the rest was not read. */
  truncated: boolean
}

export interface AnswerHeaders {
  'content-type'?: string
  'retry-after'?: string
  location?: string
}

/** No whole answer came. `message` tells an integrator what happened and where, without a full stop. */
export interface Failed extends Measured {
  kind: 'failed'
  stage: Stage
  message: string
}

/** What became of a request. */
export type Outcome = Answered | Failed

/** Ends an attempt early: becomes a `Failed` outcome. What the other side put into the message is short and harmless in a log. */
export class SendFailure extends Error {
  readonly stage: Stage
  constructor(stage: Stage, message: string) {
    super(printable(shorten(message, LONGEST_MESSAGE)))
    this.stage = stage
  }
}
