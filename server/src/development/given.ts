import type { Logger } from 'pino'
import type { PublicHost } from '../access/client-origin.ts'
import type { Dialect } from '../api/declare/dialect.ts'
import type { OperatorFeed } from '../delivery/operator-feed/feed.ts'
import type { SeedDocument } from '../endpoints/operator/seed/seed-document.ts'
import type { Activity } from '../lib/activity.ts'
import type { Clock } from '../lib/clock.ts'
import type { Ids } from '../lib/ids.ts'
import type { Settings } from '../settings/settings.ts'
import type { EventLog } from '../storage/event-log.ts'
import type { Storage } from '../storage/storage.ts'

/** What the wing is made from. */
export interface Given {
  settings: Settings
  storage: Storage
  eventLog: EventLog
  activity: Activity
  dialect: Dialect
  clock: Clock
  now: () => number
  ids: Ids
  feed: OperatorFeed
  logger: Logger
  seed: SeedDocument | undefined
  /** Where the hosts listen, once they do. */
  listening: {
    origins: { base_url: string; ads_base_url: string; ads_sandbox_base_url: string; operator_url: string }
    clientOrigins(host: PublicHost): readonly string[]
    boundOrigin(host: PublicHost): string
    originSetting(host: PublicHost): string
  }
}
