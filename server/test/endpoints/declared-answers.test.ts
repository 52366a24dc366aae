// What answers may contain, written out: the schema of an endpoint accepts its smallest answer and every value of an enumeration. Every
// answer in every other test is checked against these schemas, and clients generate code from them.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { allEndpoints } from '../../scripts/all-endpoints.ts'
import { compileCheck } from '../stage/compile-check.ts'

const TIME = '2026-03-01T12:00:00.000Z'
const USER = { id: '1', username: 'ada', name: 'Ada', disabled: false, created_at: TIME }

/** An object without each of its members. */
const lacking = (members: object) =>
  Object.keys(members).map((name) => Object.fromEntries(Object.entries(members).filter(([other]) => other !== name)))
const NO_SUBSCRIPTIONS = { data: { deleted: true }, meta: { total_subscriptions: 0 } }
const SUBSCRIPTION = { subscription_id: '1', event_type: 'dm.received', filter: { user_id: '1' }, created_at: TIME, updated_at: TIME }
const ATTEMPT = {
  n: 0,
  at: TIME,
  outcome: 'failed',
  status: null,
  latency_ms: 0,
  error: '',
  response: '',
  replay_job_id: null,
}
const DELIVERY = {
  event_uuid: '1',
  user_id: '1',
  event_type: 'dm.received',
  webhook_id: '1',
  app_id: null,
  url: null,
  accepted_at: TIME,
  state: 'pending',
  next_try_at: null,
  attempts: [] as object[],
}
const FOUND = { event_uuid: '1', event_type: 'dm.received', user_id: '1', accepted_at: TIME, path: 'payload.text', excerpt: 'Hello' }

const RESEND = {
  job_id: '1',
  app_id: null,
  event_type: null,
  states: ['given_up', 'not_sent'],
  from: TIME,
  to: TIME,
  state: 'running',
  resent: 0,
  refused: 0,
  created_at: TIME,
  finished_at: null,
}

const REPLAY = {
  app_id: '1',
  created_by: 'app',
  job_id: '1',
  webhook_id: '1',
  from: TIME,
  to: TIME,
  state: 'running',
  position: 0,
  tried_to: null,
  delivered: 0,
  failed: 0,
  reported: false,
  created_at: TIME,
  finished_at: null,
}
const WEBHOOK = {
  id: '1',
  app_id: '1',
  url: 'https://a.example/',
  valid: true,
  created_at: TIME,
  last_challenge: null as object | null,
  backlog: 0,
}
const CAMPAIGN = {
  id: 'c1',
  name: 'x',
  budget_optimization: 'LINE_ITEM',
  purchase_order_number: null,
  daily_budget_amount_local_micro: null,
  total_budget_amount_local_micro: null,
  funding_instrument_id: 'f1',
  duration_in_days: null,
  frequency_cap: null,
  standard_delivery: true,
  entity_status: 'ACTIVE',
  start_time: null,
  end_time: null,
  currency: 'USD',
  effective_status: 'ACTIVE',
  servable: true,
  reasons_not_servable: [] as string[],
  created_at: '2026-03-01T12:00:00Z',
  updated_at: '2026-03-01T12:00:00Z',
  deleted: false,
}
const campaign = (more: object) => ({ request: { params: {} }, data: { ...CAMPAIGN, ...more } })
const page = (...data: object[]) => ({ data, meta: { result_count: data.length } })

const delivered = (attempt: object) => page({ ...DELIVERY, attempts: [{ ...ATTEMPT, ...attempt }] })
const challenged = (last_challenge: object) => page({ ...WEBHOOK, last_challenge: { at: TIME, failure: null, ...last_challenge } })

/** By the name of an endpoint: answers that it may give, and others that it may not. */
const answers: Record<string, { right: readonly object[]; wrong?: readonly object[] }> = {
  listWebhooks: { right: [page()] },
  createSubscription: {
    right: [{ data: { subscription: SUBSCRIPTION, total_subscriptions_for_instance_id: 0 }, meta: { total_subscriptions: 0 } }],
  },
  listSubscriptions: { right: [{ data: [], meta: { result_count: 0, total_subscriptions: 0 } }] },
  updateSubscription: { right: [{ data: { subscription: SUBSCRIPTION, total_subscriptions: 0 }, meta: { total_subscriptions: 0 } }] },
  deleteSubscription: { right: [NO_SUBSCRIPTIONS], wrong: [{ ...NO_SUBSCRIPTIONS, meta: { total_subscriptions: -1 } }] },
  deleteSubscriptions: { right: [NO_SUBSCRIPTIONS] },
  listApps: { right: [page()] },
  revokeTokens: { right: [{ data: { revoked: 0 } }], wrong: [{ data: { revoked: -1 } }] },
  endSessions: { right: [{ data: { ended: 0 } }] },
  listAllWebhooks: {
    right: [page(), page(WEBHOOK), challenged({ result: 'passed' }), challenged({ result: 'failed', failure: 'x' })],
    wrong: [challenged({ result: 'late' }), page({ ...WEBHOOK, backlog: -1 }), ...lacking(WEBHOOK).map((webhook) => page(webhook))],
  },
  listDeliveries: {
    right: [
      ...['pending', 'delivered', 'retrying', 'given_up', 'not_sent'].map((state) => page({ ...DELIVERY, state })),
      ...['delivered', 'failed', 'not_sent'].map((outcome) => delivered({ outcome })),
    ],
    wrong: [
      page({ ...DELIVERY, state: 'lost' }),
      delivered({ outcome: 'lost' }),
      delivered({ latency_ms: -1 }),
      delivered({ n: -1 }),
      ...lacking(DELIVERY).map((delivery) => page(delivery)),
      ...lacking(ATTEMPT).map((attempt) => page({ ...DELIVERY, attempts: [attempt] })),
    ],
  },
  resendDeliveries: {
    right: [
      { data: { resent: 0 }, meta: {} },
      { data: { resent: 0, would_resend: 1, webhooks: [{ webhook_id: '1', app_id: '1', deliveries: 1 }] }, meta: { next_after: '1.2' } },
    ],
    wrong: [
      { data: { resent: -1 }, meta: {} },
      { data: { resent: 0, webhooks: [{ webhook_id: '1', app_id: '1', deliveries: 0 }] }, meta: {} },
    ],
  },
  searchEvents: {
    right: [
      { data: [], meta: { result_count: 0, looked_until: TIME } },
      { data: [FOUND], meta: { result_count: 1, looked_until: TIME, next_before: '1' } },
    ],
    wrong: [
      { data: [], meta: { result_count: 0 } },
      ...lacking(FOUND).map((found) => ({ data: [found], meta: { result_count: 1, looked_until: TIME } })),
    ],
  },
  getResend: {
    right: [
      ...['running', 'complete', 'incomplete', 'cancelled'].map((state) => ({ data: { ...RESEND, state } })),
      ...['given_up', 'not_sent', 'delivered'].map((state) => ({ data: { ...RESEND, states: [state] } })),
    ],
    wrong: [
      { data: { ...RESEND, state: 'lost' } },
      { data: { ...RESEND, resent: -1 } },
      { data: { ...RESEND, refused: -1 } },
      ...lacking(RESEND).map((data) => ({ data })),
    ],
  },
  getReplay: {
    right: ['running', 'complete', 'incomplete', 'cancelled'].map((state) => ({ data: { ...REPLAY, state } })),
    wrong: [{ data: { ...REPLAY, state: 'lost' } }, ...lacking(REPLAY).map((data) => ({ data }))],
  },
  getCampaign: {
    right: [
      ...['DELETED', 'DRAFT', 'EXPIRED', 'FUNDING_PROBLEM', 'PAUSED_BY_ADVERTISER'].map((reason) =>
        campaign({ reasons_not_servable: [reason] }),
      ),
      ...['ACTIVE', 'DRAFT', 'PAUSED', 'EXPIRED'].map((effective_status) => campaign({ effective_status })),
      ...['ACTIVE', 'DRAFT', 'PAUSED'].map((entity_status) => campaign({ entity_status })),
    ],
    wrong: [
      ...lacking(CAMPAIGN).map((data) => ({ request: { params: {} }, data })),
      campaign({ reasons_not_servable: ['TIRED'] }),
      campaign({ effective_status: 'TIRED' }),
      campaign({ entity_status: 'EXPIRED' }),
    ],
  },
  updateUser: { right: [{ data: USER }], wrong: lacking(USER).map((data) => ({ data })) },
  listAudit: { right: [page()] },
  listFailures: { right: [page()] },
}

for (const [name, { right, wrong = [] }] of Object.entries(answers))
  suite(`the answer of ${name}`, () => {
    const check = compileCheck(allEndpoints.find((endpoint) => endpoint.name === name)!.answer)
    test('may be empty, and have each value that is declared', () => {
      for (const answer of right) assert.equal(check(answer), undefined, JSON.stringify(answer))
    })
    test('has no other values', () => {
      for (const answer of wrong) assert.notEqual(check(answer), undefined, JSON.stringify(answer))
    })
  })
