import { realTimer, type Timer } from '../../../lib/clock.ts'
import type { StorageLog } from '../../storage-log.ts'
import { Unavailable } from '../../unavailable.ts'
import type { WriterChannel } from './writer-channel.ts'

/** Without a reply for so long, while calls wait for one, the thread is silent: its disk hangs. */
const SILENT_AFTER_MS = 10_000

const NOTHING_DONE = 'The event log does not answer. Nothing was changed; retry in a moment.'
const MAYBE_DONE = 'The event log does not answer, and may yet do it. Retry in a moment: events with the same event_uuid count once.'

type Stalled = (error: unknown | null) => void

/** Several reasons for which attempts cannot be recorded. `changed` hears of the first, and when none is left. */
function combine(changed: Stalled) {
  const errors = new Map<string, unknown>()
  return (name: string): Stalled =>
    (error) => {
      const had = errors.size > 0
      if (error === null) errors.delete(name)
      else errors.set(name, error)
      if (errors.size > 0 !== had) changed(error)
    }
}

interface WatchOptions {
  /** Told when attempts cannot be recorded, and with null when they can again. */
  stalled: Stalled
  log?: StorageLog | undefined
  silentAfterMs?: number
}

/** The thread of the log, and who need not wait for it for ever. */
export interface WatchedWriter {
  writer: WriterChannel
  /**
   * Rejects when the thread falls silent before the work is done. The work goes on unless `withdraw` takes it back, which then returns true.
   * While the thread is silent no work is begun.
   */
  answered<T>(work: () => Promise<T>, withdraw?: () => boolean): Promise<T>
  /** The same for work that follows from what is done already: it has begun, and goes on whatever the thread does. */
  followed<T>(work: Promise<T>): Promise<T>
  /** To be told when commits fail. */
  commitsStalled: Stalled
}

/**
 * Notices that the thread of the log no longer replies. It cannot be stopped while it waits for its disk, so whoever calls is refused, and
 * nothing is sent whose result could not be recorded.
 *
 *   replying → silent: calls have waited for a reply for ten seconds.
 *   silent → replying: a reply came.
 */
export function watchSilence(thread: WriterChannel, { stalled, log, silentAfterMs = SILENT_AFTER_MS }: WatchOptions): WatchedWriter {
  const stalledBy = combine(stalled)
  const silenceStalls = stalledBy('silence')
  const waiting = new Set<() => void>()
  let unanswered = 0
  let isSilent = false
  let timer: Timer | undefined

  const fallSilent = () => {
    isSilent = true
    log?.error({}, 'the thread of the event log does not answer, as when its disk hangs: nothing is accepted until it does')
    silenceStalls(new Unavailable(NOTHING_DONE))
    for (const giveUp of waiting) giveUp()
  }

  /** In two halves: a process that was stopped for long finds one of them over, and then the reply. */
  const listen = () => {
    timer?.cancel()
    timer = realTimer(silentAfterMs / 2, () => {
      timer = realTimer(silentAfterMs / 2, fallSilent)
    })
  }

  const replied = () => {
    unanswered -= 1
    if (unanswered > 0) listen()
    else timer?.cancel()
    if (!isSilent) return
    isSilent = false
    log?.info({}, 'the thread of the event log answers again')
    silenceStalls(null)
  }

  const call = ((...parameters: Parameters<WriterChannel['call']>) => {
    unanswered += 1
    if (unanswered === 1) listen()
    const reply: Promise<unknown> = thread.call(...parameters)
    reply.then(replied, replied)
    return reply
  }) as WriterChannel['call']

  const untilSilent = <T>(work: Promise<T>, refusal: () => Unavailable) =>
    new Promise<T>((resolve, reject) => {
      const giveUp = () => reject(refusal())
      waiting.add(giveUp)
      void work.then(resolve, reject).finally(() => waiting.delete(giveUp))
      if (isSilent) giveUp()
    })

  return {
    writer: { call, ended: thread.ended },
    answered: async (work, withdraw = () => false) => {
      if (isSilent) throw new Unavailable(NOTHING_DONE)
      return untilSilent(work(), () => new Unavailable(withdraw() ? NOTHING_DONE : MAYBE_DONE))
    },
    followed: (work) => untilSilent(work, () => new Unavailable(MAYBE_DONE)),
    commitsStalled: stalledBy('commits'),
  }
}
