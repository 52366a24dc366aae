import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import { HOUR_MS, SECOND_MS } from '../lib/time.ts'
import { type AuditLog, type FailedAttempts, OTHERS } from '../storage/audit-log.ts'
import { logUnlessUnavailable } from '../storage/unavailable.ts'
import { clientNetworkOf } from './networks.ts'

/** How long counts are collected before they are written. */
const COLLECTED_MS = SECOND_MS

/** Addresses of one collection; what comes from more is counted together. */
const MAX_ADDRESSES = 1000

/** Counts failed attempts in memory and adds them to the audit log once a second, so that a flood costs few writes. */
export interface FailureLog {
  record(kind: FailedAttempts['kind'], address: string): void
  /** Writes what was collected. */
  flush(): Promise<void>
}

export interface FailureLogOptions {
  audit: AuditLog
  clock: Clock
  logger: Logger
  /** Called for each failed attempt, for metrics. */
  counted: (kind: FailedAttempts['kind']) => void
}

export function createFailureLog({ audit, clock, logger, counted }: FailureLogOptions): FailureLog {
  let collected = new Map<string, FailedAttempts>()
  let timer: Timer | undefined
  let writing = Promise.resolve()

  const add = (failure: FailedAttempts) => {
    const key = `${failure.hourMs} ${failure.kind} ${failure.address}`
    const known = collected.get(key)
    if (known) known.count += failure.count
    else if (collected.size < MAX_ADDRESSES || failure.address === OTHERS) collected.set(key, failure)
    else add({ ...failure, address: OTHERS })
  }

  const write = async () => {
    if (collected.size === 0) return
    const failures = [...collected.values()]
    collected = new Map()
    try {
      await audit.countFailures(failures, clock.now())
    } catch (error) {
      logUnlessUnavailable(logger, error, 'could not write to the audit log')
      for (const failure of failures) add(failure)
    }
  }

  const flush = () => {
    timer?.cancel()
    timer = undefined
    writing = writing.then(write)
    return writing
  }

  return {
    record(kind, address) {
      counted(kind)
      const hourMs = Math.floor(clock.now() / HOUR_MS) * HOUR_MS
      add({ hourMs, kind, address: clientNetworkOf(address), count: 1 })
      timer ??= clock.after(COLLECTED_MS, () => void flush())
    },
    flush,
  }
}
