import type { Base } from './parts.ts'
import type { Sending } from './sending.ts'

/** The part of `Sending` that the rest of a process uses. */
export type UsedSending = Pick<Sending, 'start' | 'resume' | 'stop'> & {
  dispatcher: Pick<Sending['dispatcher'], 'backlog' | 'underWay' | 'clear' | 'takeDue'>
  replayRunner: Pick<Sending['replayRunner'], 'wake'>
  resendRunner: Pick<Sending['resendRunner'], 'wake'>
  retention: Pick<Sending['retention'], 'wake'>
}

/**
 * Stands for `Sending` in a process that does not send. Others hear of jobs by the change that a new one is, and of deliveries that
 * wait or are due by a call.
 */
export function noSending({ eventLog }: Pick<Base, 'eventLog'>): UsedSending {
  const nothing = async () => {}
  return {
    dispatcher: {
      backlog: () => ({ inFlight: 0, waiting: { live: 0, retry: 0, replay: 0 }, oldestDueMs: undefined }),
      underWay: () => ({ deliveries: [], isBehind: false, isPaused: false, whyBehind: () => undefined }),
      clear() {},
      takeDue: async () => eventLog.callForWork(),
    },
    replayRunner: { wake: nothing },
    resendRunner: { wake: nothing },
    retention: { wake() {} },
    start: nothing,
    resume: nothing,
    stop: nothing,
  }
}
