import type { EventLog } from '../../storage/event-log.ts'
import type { Storage } from '../../storage/storage.ts'

/** Something that happens once the clock has reached its time. */
export interface DueThing {
  atMs: number
  kind: DueKind
  eventUuid?: string
  eventType?: string
  webhookId?: string
  appId?: string
}

/** As `POST /operator/clock` calls what has happened; `former_secret` is when one stops being valid. */
export const dueKinds = [
  'retry',
  'challenge',
  'scheduled_post',
  'feed',
  'product_set',
  'product_catalog',
  'image_check',
  'upload',
  'outbox',
  'former_secret',
] as const
export type DueKind = (typeof dueKinds)[number]

/** So many of each kind are looked at. */
const LOOKED_AT = 100

interface Sources {
  storage: Pick<Storage, 'webhooks' | 'apps' | 'catalogs' | 'scheduledFeeds' | 'imageChecks' | 'uploads' | 'dueScheduledPosts' | 'outbox'>
  eventLog: Pick<EventLog, 'report' | 'nextDueMs'>
}

/** Those that were found, and the first one by its time alone where it was beyond what was looked at. */
function withFirst(kind: DueKind, found: readonly DueThing[], firstMs: number | undefined): DueThing[] {
  const isMissing = firstMs !== undefined && !found.some(({ atMs }) => atMs <= firstMs)
  return [...(isMissing ? [{ kind, atMs: firstMs }] : []), ...found]
}

async function retries({ report, nextDueMs }: Sources['eventLog']): Promise<DueThing[]> {
  const [found, firstMs] = await Promise.all([report({ state: 'retrying', limit: LOOKED_AT }), nextDueMs()])
  const due = found.flatMap(({ nextTryAtMs, eventUuid, eventType, webhookId }): DueThing[] =>
    nextTryAtMs === null ? [] : [{ kind: 'retry', atMs: nextTryAtMs, eventUuid, eventType, webhookId }],
  )
  return withFirst('retry', due, firstMs)
}

async function challenges({ webhooks }: Sources['storage']): Promise<DueThing[]> {
  const [found, firstMs] = await Promise.all([webhooks.listAll({ valid: true, after: null, limit: LOOKED_AT }), webhooks.nextDueMs()])
  const due = found.flatMap(({ id: webhookId, nextChallengeAtMs }): DueThing[] =>
    nextChallengeAtMs === null ? [] : [{ kind: 'challenge', atMs: nextChallengeAtMs, webhookId }],
  )
  return withFirst('challenge', due, firstMs)
}

/** The next piece of each queue of work. */
async function work({
  catalogs,
  scheduledFeeds,
  imageChecks,
  uploads,
  dueScheduledPosts,
  outbox,
}: Sources['storage']): Promise<DueThing[]> {
  const queues = [
    ['scheduled_post', dueScheduledPosts],
    ['feed', scheduledFeeds],
    ['product_set', catalogs.dueSets],
    ['product_catalog', catalogs.dueRemovals],
    ['image_check', imageChecks],
    ['upload', uploads],
    ['outbox', outbox],
  ] as const
  const next = await Promise.all(queues.map(async ([kind, queue]) => ({ kind, atMs: await queue.nextDueMs([]) })))
  return next.flatMap(({ kind, atMs }) => (atMs === undefined ? [] : [{ kind, atMs }]))
}

async function formerSecrets({ apps }: Sources['storage'], nowMs: number): Promise<DueThing[]> {
  const found = await apps.list(null, LOOKED_AT)
  return found.flatMap(({ id: appId, previousSecretUntilMs: atMs }): DueThing[] =>
    atMs !== null && atMs > nowMs ? [{ kind: 'former_secret', atMs, appId }] : [],
  )
}

/** What is due next, soonest first, at most `limit`. */
export async function dueThings({ storage, eventLog }: Sources, nowMs: number, limit: number): Promise<DueThing[]> {
  const all = await Promise.all([retries(eventLog), challenges(storage), work(storage), formerSecrets(storage, nowMs)])
  return all
    .flat()
    .sort((one, other) => one.atMs - other.atMs)
    .slice(0, limit)
}
