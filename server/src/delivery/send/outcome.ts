import { printable, shorten } from './printable.ts'

const MAX_MESSAGE_LENGTH = 500

/** The stages that can fail, in order. */
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
  /** Duration in whole milliseconds. */
  latencyMs: number
  /** When the steps began; see `Steps`. Empty where nothing was sent. */
  timing: string
  /** The host; once it was reached with address and port. Empty where nothing was sent. */
  peer: string
  /**
   * The callback is not known to be public: its name was not resolved, an address was refused, or only the allow list allows it and it is
   * not loopback. Details may reveal a private network.
   */
  restricted: boolean
}

/** What is told of a restricted outcome that failed, to whoever must not map the network (production). */
export const NOT_REACHABLE = 'address not reachable'

/** A complete response, or as much as is read of it. */
export interface Answered extends Measured {
  kind: 'answered'
  status: number
  headers: AnswerHeaders
  /** At most 16 KB. */
  body: Buffer
  /** The response was longer; the rest was not read. */
  truncated: boolean
}

export interface AnswerHeaders {
  'content-type'?: string
  'retry-after'?: string
  location?: string
}

/** No complete response. `message` tells an integrator what happened and where, without a full stop. */
export interface Failed extends Measured {
  kind: 'failed'
  stage: Stage
  message: string
}

/** The result of a request. */
export type Outcome = Answered | Failed

/** Ends an attempt: becomes a `Failed` outcome. The message is shortened and escaped, because the other side may control parts of it. */
export class SendFailure extends Error {
  readonly stage: Stage
  constructor(stage: Stage, message: string) {
    super(printable(shorten(message, MAX_MESSAGE_LENGTH)))
    this.stage = stage
  }
}

/** Whether a request had a connection, and began to be sent. */
export const wasSent = ({ kind, timing }: Pick<Outcome, 'kind' | 'timing'>): boolean => kind === 'answered' || Boolean(timing.split(',')[2])
