import type { Logger } from 'pino'
import type { Dialect } from '../api/declare/dialect.ts'
import type { Endpoint } from '../api/declare/endpoint.ts'
import type { SendChallenge } from '../delivery/challenge/challenger.ts'
import type { SignedPost } from '../delivery/signed-request.ts'
import { createDisturb, type DisturbOptions } from '../endpoints/operator/faults/disturb-call.ts'
import { disturbChallenges, disturbPost } from '../endpoints/operator/faults/disturb-sending.ts'
import { createFaults } from '../endpoints/operator/faults/faults.ts'
import { createPauses } from '../endpoints/operator/faults/pauses.ts'
import { createInboxes } from '../endpoints/operator/inboxes/inboxes.ts'
import { createPublications } from '../endpoints/operator/inboxes/publications.ts'
import { createLedger } from '../endpoints/operator/requests/ledger.ts'
import type { Clock } from '../lib/clock.ts'
import type { EventLog } from '../storage/event-log.ts'
import type { Storage } from '../storage/storage.ts'

interface TestToolsOptions {
  storage: Storage
  eventLog: EventLog
  dialect: Dialect
  clock: Clock
  now: () => number
  logger: Logger
  /** The endpoints of the public hosts. */
  publicEndpoints: () => readonly Pick<Endpoint, 'method' | 'path' | 'name'>[]
}

/** What integrators test with. In production there is none of it. */
export function assembleTestTools({ storage, eventLog, dialect, clock, now, logger, publicEndpoints }: TestToolsOptions) {
  const { apps, webhooks, metadata, changes, worker } = storage
  const publicNames = new Set(publicEndpoints().map(({ name }) => name))
  const publications = createPublications(now)
  const faults = createFaults(now)
  const pauses = createPauses(clock)
  const ledger = createLedger(now, () => publicNames)
  const inboxes = createInboxes({
    apps,
    webhooks,
    eventLog,
    metadata,
    changes,
    worker,
    now,
    logger,
    signatureHeader: dialect.out('x-service-webhooks-signature'),
  })
  return {
    publications,
    /** What the endpoints of the development profile are given. */
    services: { inboxes, publications, faults, ledger, publicEndpoints },
    record: ledger.record,
    /** What lets faults hit calls, deliveries and challenges. */
    disturb: (options: Pick<DisturbOptions, 'limits' | 'problemOptions'>) => createDisturb({ ...options, faults, pauses, now }),
    disturbPost: (post: SignedPost) => disturbPost(post, faults, pauses),
    disturbChallenges: (send: SendChallenge) => disturbChallenges(send, faults, pauses),
    /** Removes what a former process left. */
    start: inboxes.removeLeft,
    /** Forgets everything, because the state was wiped. */
    clear() {
      publications.clear()
      faults.clear()
      ledger.clear()
      inboxes.clear()
    },
    /** The state is another one, because a snapshot was restored. */
    restored: inboxes.reconcile,
    /** Lets no call wait any longer, so that the hosts can close. */
    endWaiting() {
      inboxes.endWaiting()
      pauses.endAll()
    },
    stop: inboxes.stop,
  }
}
export type TestTools = ReturnType<typeof assembleTestTools>
