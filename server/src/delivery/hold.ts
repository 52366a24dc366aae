import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import { HOUR_MS, SECOND_MS } from '../lib/time.ts'
import { HELD_SINCE, type Metadata } from '../storage/metadata.ts'
import { logUnlessUnavailable, Unavailable } from '../storage/unavailable.ts'
import type { Sender } from './send/sender.ts'

/** How often a held process looks whether another one was asked to release the copy. */
const LOOK_MS = SECOND_MS

const TOLD = 'this database is a restored copy: nothing is sent until it is released with `postern restore --release`'

/** Whether this database is a restored copy that may not send yet, because the original may send the same. */
export interface Hold {
  /** Since when, as an ISO time; undefined when it is not held. */
  since(): string | undefined
  /** Calls once when it is released, also by another process. */
  onRelease(run: () => void): void
  /** Releases the copy for all processes. Returns since when it was held; undefined if it was not. */
  release(): Promise<string | undefined>
  /** Looks no more. What is held stays held. */
  stop(): void
}

/** `heldSince` is what the database said when it was opened. Only a release ends that, so one that is not held never looks again. */
export function createHold(heldSince: string | undefined, metadata: Metadata, clock: Clock, logger: Logger): Hold {
  const read = async () => (await metadata.get(HELD_SINCE)) || undefined
  const listeners: (() => void)[] = []
  let since = heldSince || undefined
  let timer: Timer | undefined
  let toldMs = clock.elapsed()
  let isStopped = false

  const end = () => {
    if (since === undefined) return
    since = undefined
    timer?.cancel()
    logger.info('the restored copy was released: what waits is sent')
    for (const released of listeners) released()
  }

  const look = async () => {
    const isReleased = (await read()) === undefined
    if (isStopped) return
    if (isReleased) return end()
    if (clock.elapsed() - toldMs < HOUR_MS) return
    toldMs = clock.elapsed()
    logger.warn({ held_since: since }, TOLD)
  }

  const lookLater = () => {
    if (since === undefined || isStopped) return
    timer = clock.after(LOOK_MS, () =>
      look()
        .catch((error) => logUnlessUnavailable(logger, error, 'could not read whether this database is held'))
        .then(lookLater),
    )
  }

  if (since !== undefined) logger.warn({ held_since: since }, TOLD)
  lookLater()
  return {
    since: () => since,
    onRelease: (run) => void listeners.push(run),
    async release() {
      const was = await read()
      if (was !== undefined) await metadata.set(HELD_SINCE, '')
      end()
      return was
    },
    stop() {
      isStopped = true
      timer?.cancel()
    },
  }
}

/** The way out of a copy: closed while it is held. What is refused was not sent, and is tried again. */
export const heldBack = (sender: Sender, hold: Pick<Hold, 'since'>): Sender => ({
  ...sender,
  send: (out) =>
    hold.since() === undefined
      ? sender.send(out)
      : Promise.reject(
          new Unavailable('This Postern is a restored copy and sends nothing until it is released with `postern restore --release`.'),
        ),
})
