import type { WebhookStore } from '../../webhooks.ts'
import { ANY_KEY, type PreparedQuery } from '../prepared-query.ts'
import type { Row } from '../schema.ts'
import { webhookFromRow } from '../stores/webhook-row.ts'
import { createLookup, createRowLookup } from './batched-lookup.ts'
import { wrapStore } from './wrap-store.ts'

/** Batches the lookups of webhooks. */
export const batchWebhooks = (store: WebhookStore, query: PreparedQuery): WebhookStore =>
  wrapStore(store, {
    byId: createRowLookup(query, {
      name: 'webhooks-by-id',
      text: `select id as key, * from webhooks where id = ${ANY_KEY}`,
      read: webhookFromRow,
    }),
    list: createLookup(query, {
      name: 'webhooks-by-app',
      text: `select app_id as key, * from webhooks where app_id = ${ANY_KEY} order by created_at_ms, id`,
      read: (rows: readonly Row<'webhooks'>[]) => rows.map(webhookFromRow),
    }),
    listAll: 'reads',
    hasUrl: 'reads',
    count: 'reads',
    countAll: 'reads',
    register: 'writes',
    beginChallenge: 'writes',
    decide: 'writes',
    postpone: 'writes',
    remove: 'writes',
    claimDue: 'writes',
    moveIntoHour: 'writes',
    nextDueMs: 'reads',
  })
