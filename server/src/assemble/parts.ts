import type { Logger } from 'pino'
import type { OperatorToken } from '../access/operator-of.ts'
import type { Dialect } from '../api/declare/dialect.ts'
import type { AnyResource } from '../api/records/resource.ts'
import type { ServeOptions } from '../api/serve.ts'
import type { Hold } from '../delivery/hold.ts'
import type { OperatorFeed } from '../delivery/operator-feed/feed.ts'
import type { Wing } from '../development/wing.ts'
import type { adsEndpoints } from '../endpoints/index.ts'
import type { SeedDocument } from '../endpoints/operator/seed/seed-document.ts'
import type { Activity } from '../lib/activity.ts'
import type { Clock } from '../lib/clock.ts'
import type { Ids } from '../lib/ids.ts'
import type { AppLoad } from '../metrics/app-load.ts'
import type { LastHour } from '../metrics/last-hour.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Settings } from '../settings/settings.ts'
import type { EventLog } from '../storage/event-log.ts'
import type { SeveralLogs } from '../storage/several-logs.ts'
import type { PoolWaits } from '../storage/sizes.ts'
import type { Storage } from '../storage/storage.ts'
import type { Telemetry, TelemetryStart } from '../telemetry/telemetry.ts'
import type { Listening } from './listening.ts'

/** What `assemble` is given: the settings, secrets, the seed as read, and the outside world. */
export interface Parts {
  settings: Settings
  /** The first seals, all open. */
  secrets: readonly string[]
  operatorTokens: readonly OperatorToken[]
  seed: SeedDocument | undefined
  /** Of the text of the seed. With it, a start on a database that has had the seed does not wait for it. */
  seedHash?: string | undefined
  clock: Clock
  logger: Logger
  /** Resources of accounts, and endpoints for them, besides those of the map. */
  more?: { resources: readonly AnyResource[]; endpoints: typeof adsEndpoints }
  /** True where nobody stops the server: the process may end while it listens, once nothing is under way. */
  unheld?: boolean
  /** Sees the value of every answer before it is serialised. */
  inspect?: ServeOptions<never>['inspect']
  /** Where a collector of OpenTelemetry is configured. */
  telemetry?: TelemetryStart | undefined
}

/** What services, delivery and hosts are all made from. */
export interface Base extends Omit<Parts, 'telemetry'> {
  storage: Storage
  eventLog: EventLog
  /** On PostgreSQL: how statements waited for connections, by pool. */
  connectionWaits: (() => PoolWaits[]) | undefined
  /** Where there are several event logs. */
  severalLogs: SeveralLogs | undefined
  /** How much room the database takes. */
  readSizes: Storage['sizes']
  /** The profile is development. */
  development: boolean
  dialect: Dialect
  ids: Ids
  now: () => number
  listening: Listening
  /** What is under way and what happened, for whoever moves the clock. In production it counts nothing. */
  activity: Activity
  metrics: Metrics
  /** What the metrics counted in the last hour. */
  lastHour: LastHour
  /** What this process does for each app. */
  appLoad: AppLoad
  /** What operators follow live. */
  feed: OperatorFeed
  /** Whether this is a restored copy that sends nothing yet. */
  hold: Hold
  /** Where a collector of OpenTelemetry is configured. */
  telemetry: Telemetry | undefined
  /** In development alone. */
  wing: Wing | undefined
}
