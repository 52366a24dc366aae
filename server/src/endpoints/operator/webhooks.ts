import { operator, operatorOrPortal } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { boolean, id, integer, iso, listOf, nullable, object, oneOf, optional, text, timestamp } from '../../api/declare/words.ts'
import { challengeStepNames } from '../../delivery/challenge/challenge-steps.ts'
import type { Revalidate } from '../../delivery/revalidate.ts'
import type { App, AppStore } from '../../storage/apps.ts'
import type { EventLog } from '../../storage/event-log.ts'
import type { Webhook, WebhookStore } from '../../storage/webhooks.ts'
import { operatorPage } from './operator-page.ts'

export interface WebhookServices {
  webhooks: WebhookStore
  apps: AppStore
}

/** The webhook of an id with its app. Throws `not-found`. */
export async function webhookWithApp({ webhooks, apps }: WebhookServices, id: string): Promise<{ webhook: Webhook; app: App }> {
  const webhook = await webhooks.byId(id)
  const app = webhook && (await apps.byId(webhook.appId))
  if (!app) throw new Problem('not-found', { detail: `There is no webhook ${id}.` })
  return { webhook, app }
}

/** The same for a call that sends something to it. Throws `conflict` while the app is suspended. */
export async function webhookOfApp(services: WebhookServices, id: string): Promise<{ webhook: Webhook; app: App }> {
  const { webhook, app } = await webhookWithApp(services, id)
  if (app.suspended)
    throw new Problem('conflict', {
      detail: `The app ${app.id} of this webhook is suspended, so nothing is sent to it. Resume the app first.`,
    })
  return { webhook, app }
}

/** A backlog is counted so far, and so many are counted for a page: a page must stay cheap when every webhook has fallen behind. */
const MAX_COUNTED = 1000
const MAX_WEBHOOKS = 100

const webhookSchema = object({
  id: id(),
  app_id: id(),
  url: text(),
  valid: boolean({ description: 'False after a failed challenge; an invalid webhook receives no events.' }),
  created_at: timestamp(),
  last_challenge: nullable(
    object(
      {
        at: timestamp(),
        result: oneOf(['passed', 'failed']),
        failure: nullable(text({ description: 'Why it failed, with every detail. Null if it passed.' })),
      },
      { description: 'The last challenge that decided or confirmed `valid`; null before the first. One before a replay does not count.' },
    ),
  ),
  backlog: nullable(
    integer({
      min: 0,
      description: `Deliveries that are pending, in flight or retrying. Counted up to ${MAX_COUNTED}. Null while the event log that has them is away.`,
    }),
  ),
})

/** The whole reason tells of networks that are the operator's business alone. */
const failureForPortal = (id: string) =>
  `The callback did not pass it. PUT /2/webhooks/${id} repeats the challenge, and says what is wrong.`

const challengeView = ({ id, lastChallenge }: Webhook, isPortal: boolean) =>
  lastChallenge && {
    at: iso(lastChallenge.atMs),
    result: lastChallenge.failure === null ? ('passed' as const) : ('failed' as const),
    failure: isPortal && lastChallenge.failure !== null ? failureForPortal(id) : lastChallenge.failure,
  }

const page = operatorPage('after', id, webhookSchema, MAX_WEBHOOKS)

export const listAllWebhooks = endpoint({
  name: 'listAllWebhooks',
  route: 'GET /operator/webhooks',
  section: '§2.1',
  summary: 'List the webhooks of all apps with their last challenge and their backlog, in the order of their ids.',
  auth: operatorOrPortal({ app_id: 'app?', valid: 'any', after: 'any', max_results: 'any' }),
  params: { app_id: optional(id()), valid: optional(boolean()), ...page.params },
  answer: page.answer,
  handle: (
    { params: { app_id, valid, after, max_results }, caller },
    { webhooks, eventLog }: { webhooks: WebhookStore; eventLog: EventLog },
  ) =>
    page.read(max_results, {
      async rows(limit) {
        const found = await webhooks.listAll({ appId: caller.app?.id ?? app_id, valid, after: after ?? null, limit })
        const ids = found.map((webhook) => webhook.id)
        const open = await eventLog.countOpen(ids, MAX_COUNTED)
        return found.map((webhook) => ({ webhook, backlog: open.get(webhook.id)?.count ?? null }))
      },
      view: ({ webhook, backlog }) => ({
        id: webhook.id,
        app_id: webhook.appId,
        url: webhook.url,
        valid: webhook.valid,
        created_at: iso(webhook.createdAtMs),
        last_challenge: challengeView(webhook, caller.app !== undefined),
        backlog,
      }),
      placeOf: ({ webhook }) => webhook.id,
    }),
})

export const listChallenges = endpoint({
  name: 'listChallenges',
  route: 'GET /operator/webhooks/:webhook_id/challenges',
  section: '§2.1',
  summary: 'List the challenges that decided whether a webhook is valid, newest first.',
  description:
    'That of its registration, each that an app or an operator asked for, and each that failed; not those of the hourly round that confirmed it. The newest are kept: about forty that passed, or six with the longest reasons.',
  auth: operator,
  params: { webhook_id: id({ example: '1997712707928100864' }) },
  answer: object({
    data: listOf(
      object({
        at: timestamp(),
        result: oneOf(['passed', 'failed']),
        failure: nullable(text({ description: 'Why it failed, with every detail.' })),
      }),
    ),
    meta: object({ result_count: integer({ min: 0 }) }),
  }),
  problems: ['not-found'],
  async handle({ params: { webhook_id } }, { webhooks }: { webhooks: WebhookStore }) {
    const found = await webhooks.challenges(webhook_id)
    if (!found) throw new Problem('not-found', { detail: `There is no webhook ${webhook_id}.` })
    const data = found.map(({ atMs, failure }) => ({
      at: iso(atMs),
      result: failure === null ? ('passed' as const) : ('failed' as const),
      failure,
    }))
    return { data, meta: { result_count: data.length } }
  },
})

export const challengeWebhook = endpoint({
  name: 'challengeWebhook',
  route: 'POST /operator/webhooks/:webhook_id/challenge',
  section: '§2.1',
  summary: 'Challenge a webhook now, on behalf of its app.',
  description:
    'The same challenge (CRC) as that of `PUT /2/webhooks/:webhook_id`: a webhook that passes is valid, also if it was not; one that fails is invalid and receives nothing. The answer says why it failed, with every detail, and tells each step up to the one that failed.',
  auth: operator,
  params: { webhook_id: id({ example: '1997712707928100864' }) },
  answer: object({
    data: object({
      valid: boolean(),
      failure: nullable(text({ description: 'Why it failed, with every detail. Null if it passed.' })),
      steps: listOf(
        object({
          step: oneOf(challengeStepNames),
          outcome: oneOf(['ok', 'mend']),
          ms: integer({ min: 0 }),
          says: text({ description: 'What was found.' }),
          mend: optional(text({ description: 'What was expected instead.' })),
        }),
        {
          description:
            'The steps in order, each with how long it took: name, address, connection, TLS, request, status, body, signature. Without TLS there is no `tls`. No secret and no expected token is in them.',
        },
      ),
    }),
  }),
  problems: ['not-found', 'conflict'],
  async handle({ params: { webhook_id } }, services: WebhookServices & { revalidate: Revalidate }) {
    await webhookOfApp(services, webhook_id)
    const result = await services.revalidate(webhook_id, 'put', true)
    if (result === 'deleted') throw new Problem('not-found', { detail: `There is no webhook ${webhook_id}.` })
    if (result === 'postponed') throw new Problem('conflict', { detail: 'The app of this webhook was suspended meanwhile.' })
    const { passed, steps = [] } = result
    return { data: { valid: passed, failure: passed ? null : result.details, steps: [...steps] } }
  },
})
