import { createFleetHour } from '../delivery/fleet/fleet-hour.ts'
import { createFleetLoad } from '../delivery/fleet/fleet-load.ts'
import { createReports, type ProcessReport, type Wanted } from '../delivery/fleet/reports.ts'
import { realTimer } from '../lib/clock.ts'
import { randomUrlText } from '../lib/crypto.ts'
import { createSharedRead } from '../lib/shared-read.ts'
import { VERSION } from '../lib/version.ts'
import { delayUntil } from '../metrics/event-loop.ts'
import { bucketAt, listRows } from '../metrics/last-hour.ts'
import type { Broker } from './broker.ts'
import type { Delivery } from './delivery.ts'
import type { Base } from './parts.ts'
import { watchRoles } from './watch-roles.ts'

/** An answer has the buckets of the last three minutes: more than what is not saved yet. */
const TOLD_BUCKETS = 18
/** How long the event loop is watched for a report. */
const WATCHED_MS = 200

const watched = () => delayUntil(new Promise((resolve) => void realTimer(WATCHED_MS, resolve)))

/** What this process knows of the others that share the database, and tells them of itself. */
export function assembleFleet(base: Base, { dispatcher }: Delivery, broker: Broker) {
  const { storage, clock, lastHour, appLoad: load } = base
  const self = randomUrlText(9)
  const startedAtMs = clock.now()
  const { worker, livingWorkers, reportChannel: channel, hourParts: parts, appLoads: loads } = storage

  const ownReport = async (wants: Wanted): Promise<ProcessReport> => {
    if (wants === 'load') await fleetLoad.save().catch(() => {})
    const loopDelayMs = wants === 'loop' ? await watched() : undefined
    const { inFlight, waiting } = dispatcher.backlog()
    const hour = lastHour.read()
    const logs = base.severalLogs?.status()
    return {
      process: self,
      worker,
      version: VERSION,
      startedAtMs,
      sinceMs: hour.sinceMs,
      rows: listRows(hour, bucketAt(hour.untilMs) - TOLD_BUCKETS),
      inFlight,
      waiting: waiting.live + waiting.retry + waiting.replay,
      loopDelayMs,
      ...(broker && { broker: broker.state() }),
      ...(logs && {
        logs: logs.map(({ log }) => log),
        logsAway: logs.filter(({ awaySinceMs }) => awaySinceMs !== undefined).map(({ log }) => log),
      }),
    }
  }
  const reports = createReports({ channel, clock, livingWorkers, worker, report: ownReport })
  const { read, ...hour } = createFleetHour({ lastHour, reports, parts, livingWorkers, clock, self, worker })
  const fleetLoad = createFleetLoad({ load, loads, reports, clock, self })
  const roles = watchRoles(base)
  return {
    start() {
      roles.start()
      hour.start()
      fleetLoad.start()
    },
    async stop() {
      roles.stop()
      await Promise.all([hour.stop(), fleetLoad.stop()])
    },
    feedLagMs: reports.lagMs,
    /** Who look at the same time share what is asked. */
    services: {
      fleetHour: createSharedRead(clock, 0, read),
      readLoad: fleetLoad.read,
      processReports: createSharedRead(clock, 0, async () => {
        const [own, { others, heardMs }] = await Promise.all([ownReport('loop'), reports.ask('loop')])
        return [{ ...own, afterMs: heardMs }, ...others]
      }),
    },
  }
}
export type Fleet = ReturnType<typeof assembleFleet>
