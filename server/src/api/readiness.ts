import type { Logger } from 'pino'

/** Why it cannot serve: a check that failed, or what it is doing instead. */
export type NotReady = 'state' | 'event_log' | 'starting' | 'stopping'

export interface ReadinessOptions {
  /** What it is doing besides serving, if anything. */
  phase(): 'starting' | 'stopping' | undefined
  /** Each rejects when what it looks at cannot be used. */
  checks: Partial<Record<NotReady, () => Promise<unknown>>>
  logger: Logger
}

/** What keeps it from serving; empty when it can. */
export type Readiness = () => Promise<NotReady[]>

/** Whoever asks while the checks are under way shares them. The operator is told of each change. */
export function createReadiness({ phase, checks, logger }: ReadinessOptions): Readiness {
  let underWay: Promise<NotReady[]> | undefined
  let told = ''

  const tell = (failed: readonly NotReady[], errors: readonly unknown[]) => {
    if (failed.join() === told) return
    told = failed.join()
    if (failed.length > 0) logger.error({ failed, err: errors[0] }, 'not ready: a check failed')
    else logger.info('ready again')
  }

  const runChecks = async () => {
    const names = Object.keys(checks) as NotReady[]
    const results = await Promise.allSettled(names.map(async (name) => checks[name]!()))
    const failed = names.filter((_, place) => results[place]!.status === 'rejected')
    tell(
      failed,
      results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])),
    )
    return failed
  }

  return async () => {
    const other = phase()
    if (other) return [other]
    underWay ??= runChecks().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}
