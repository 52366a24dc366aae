import type { Logger } from 'pino'

/** What an exporter says of what it was to send. */
interface Result {
  code: number
  error?: Error
}

interface Exporter<Items> {
  export(items: Items, done: (result: Result) => void): void
}

/** `ExportResultCode.SUCCESS` */
const SENT = 0

/** Says once that a collector does not take what it is sent, and once that it does again. */
export function watchCollector<Items>(exporter: Exporter<Items>, what: 'traces' | 'metrics', logger: Logger): Exporter<Items>['export'] {
  let isAway = false
  const note = ({ code, error }: Result) => {
    if (isAway === (code !== SENT)) return
    isAway = !isAway
    if (isAway) logger.warn({ reason: error?.message ?? 'not known' }, `the collector does not take ${what}: they are lost until it does`)
    else logger.info(`the collector takes ${what} again`)
  }
  return (items, done) =>
    exporter.export(items, (result) => {
      note(result)
      done(result)
    })
}
