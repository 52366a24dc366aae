import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import { descriptorLimit } from '../../lib/descriptor-limit.ts'
import { lazy } from '../../lib/lazy.ts'
import { MINUTE_MS } from '../../lib/time.ts'

/** Nearly out: the system gives a new descriptor the lowest free number, so a number this high says that as many are open. */
const NEARLY_OUT = 0.9

/** No limit is lower than that, so it is not asked for before. */
const LOWEST_LIMIT = 256

/**
 * Says once a minute that file descriptors run out. Otherwise nothing would: once none is left, the system closes new connections before
 * anybody hears of them.
 */
export function createDescriptorWatch(logger: Logger, clock: Pick<Clock, 'elapsed'>, readLimit = descriptorLimit) {
  let limitOf = lazy(readLimit)
  let quietUntilMs = Number.NEGATIVE_INFINITY

  const isNearlyOut = (fd: number) => {
    const limit = limitOf()
    return limit !== undefined && fd >= limit * NEARLY_OUT
  }

  return (socket: Socket) => {
    const { fd = -1 } = (socket as Socket & { _handle?: { fd?: number } | null })._handle ?? {}
    if (fd < LOWEST_LIMIT * NEARLY_OUT || clock.elapsed() < quietUntilMs || !isNearlyOut(fd)) return
    quietUntilMs = clock.elapsed() + MINUTE_MS
    // It may have been raised since it was read.
    limitOf = lazy(readLimit)
    if (!isNearlyOut(fd)) return
    logger.warn(
      { open: fd, limit: limitOf() },
      'file descriptors run out: without one, connections are closed unheard; raise the limit (LimitNOFILE, ulimit -n)',
    )
  }
}
