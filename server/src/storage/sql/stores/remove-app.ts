import type { Transaction } from 'kysely'
import { retryWhileReferenced } from '../foreign-keys.ts'
import type { Database } from '../schema.ts'
import { announce, repeated, type SqlDatabase, type Written } from '../sql-database.ts'
import { lockApp } from './lock-app.ts'

/** What goes with an app, each before what it refers to. */
const OF_APP = [
  'subscriptions',
  'replay_jobs',
  'webhooks',
  'bearer_tokens',
  'request_tokens',
  'user_tokens',
  'oauth2_codes',
  'oauth2_grants',
] as const

const idsOf = async (trx: Transaction<Database>, table: 'webhooks' | 'replay_jobs', appId: string) =>
  (await trx.selectFrom(table).select('id').where('app_id', '=', appId).execute()).map(({ id }) => id)

/**
 * Deletes an app with all that belongs to it; the ids of the webhooks that it had. Its own row goes last: whoever adds to it without its
 * lock is waited for, and found by the next try.
 */
export const removeApp = ({ flavour, inExclusiveTransaction }: SqlDatabase, id: string): Promise<string[] | undefined> =>
  retryWhileReferenced(() =>
    inExclusiveTransaction(lockApp(flavour, id), async (trx): Promise<Written<string[] | undefined>> => {
      const app = await trx.selectFrom('apps').select('id').where('id', '=', id).executeTakeFirst()
      if (!app) return repeated(undefined)
      const [webhooks, replays] = [await idsOf(trx, 'webhooks', id), await idsOf(trx, 'replay_jobs', id)]
      for (const table of OF_APP) await trx.deleteFrom(table).where('app_id', '=', id).execute()
      await trx.deleteFrom('apps').where('id', '=', id).execute()
      const gone = [
        ...replays.map((replay) => ({ kind: 'replay', id: replay }) as const),
        ...webhooks.map((webhook) => ({ kind: 'webhook', id: webhook }) as const),
      ]
      return announce(webhooks, ...gone, { kind: 'app', id })
    }),
  )
