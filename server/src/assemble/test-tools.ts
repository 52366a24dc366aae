import type { Logger } from 'pino'
import type { Dialect } from '../api/declare/dialect.ts'
import { createInboxes } from '../endpoints/operator/inboxes/inboxes.ts'
import { createPublications } from '../endpoints/operator/inboxes/publications.ts'
import type { EventLog } from '../storage/event-log.ts'
import type { Storage } from '../storage/storage.ts'

interface TestToolsOptions {
  storage: Storage
  eventLog: EventLog
  dialect: Dialect
  now: () => number
  logger: Logger
}

/** What integrators test with. In production there is none of it. */
export function assembleTestTools({ storage, eventLog, dialect, now, logger }: TestToolsOptions) {
  const { apps, webhooks, metadata, changes, worker } = storage
  const publications = createPublications(now)
  const inboxes = createInboxes({
    ...{ apps, webhooks, eventLog, metadata, changes, worker, now, logger },
    signatureHeader: dialect.out('x-service-webhooks-signature'),
  })
  return {
    publications,
    /** What the endpoints of the development profile are given. */
    services: { inboxes, publications },
    /** Removes what a former process left. */
    start: inboxes.removeLeft,
    /** Forgets everything, because the state was wiped. */
    clear() {
      publications.clear()
      inboxes.clear()
    },
    /** Lets no call wait any longer, so that the hosts can close. */
    endWaiting: inboxes.endWaiting,
    stop: inboxes.stop,
  }
}
export type TestTools = ReturnType<typeof assembleTestTools>
