import { operatorOrPortal } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { invalidRequest, Problem, webhookProblem } from '../../api/declare/problem.ts'
import { exactlyOne, mutuallyExclusive, type Rule, requires } from '../../api/declare/rules.ts'
import { boolean, id, integer, listOf, matching, object, oneOf, optional, text } from '../../api/declare/words.ts'
import { canonicalEventType } from '../../delivery/events/event-types.ts'
import { MAX_RESENT, type Resent } from '../../delivery/resend.ts'
import { invalidWebhook, PLACE, type ResendToAllServices, type ResentToAll, resendToAll } from '../../delivery/resend-to-all.ts'
import { publicId, sequenceOf } from '../../lib/ids.ts'
import type { EndedState } from '../../storage/event-log.ts'
import { eventTypeName } from '../events/event-type-name.ts'
import { assertQuotas, type QuotaServices } from '../webhooks/assert-quota.ts'
import { windowOf, windowTime } from './time-window.ts'
import { webhookOfApp } from './webhooks.ts'

/** What has not arrived: what is sent again unless a state is named. */
export const FAILED: readonly EndedState[] = ['given_up', 'not_sent']

const given = (value: unknown) => value !== undefined && value !== null

/** A webhook is named with one event, or with a state. */
const oneOrMany: Rule = {
  ...exactlyOne('event_uuid', 'state'),
  message: 'exactly one of `event_uuid`, `state` is required with `webhook_id`',
  holds: (params) => !given(params.webhook_id) || given(params.event_uuid) !== given(params.state),
}

const withoutWebhook = (name: 'from' | 'to'): Rule => ({
  message: `\`${name}\` is required without \`webhook_id\``,
  parameters: [name, 'webhook_id'],
  holds: (params) => ['webhook_id', 'event_uuid', 'state', name].some((one) => given(params[one])),
})

const answer = object({
  data: object({
    resent: integer({ min: 0, description: 'How many deliveries are sent again.' }),
    would_resend: optional(integer({ min: 0, description: 'Of a dry run: how many would be. Nothing is sent.' })),
    webhooks: optional(
      listOf(
        object({
          webhook_id: id(),
          app_id: id(),
          deliveries: integer({ min: 1, description: 'How many of this webhook match.' }),
          refused: optional(text({ description: 'Why none of them is sent again.' })),
        }),
        { description: 'Without `webhook_id`: the webhooks of this call with deliveries that match.' },
      ),
    ),
  }),
  meta: object({ next_after: optional(text({ description: 'There may be more: send this as `after` to resend the next.' })) }),
})

const counted = (count: number, isDryRun: boolean) => (isDryRun ? { resent: 0, would_resend: count } : { resent: count })

const viewOfOne = ({ count, next }: Resent, isDryRun: boolean) => ({
  data: counted(count, isDryRun),
  meta: { ...(next !== undefined && { next_after: publicId(next) }) },
})

function viewOfAll({ webhooks, next }: ResentToAll, isDryRun: boolean) {
  const count = webhooks.reduce((sum, { count, refusal }) => sum + (refusal === undefined ? count : 0), 0)
  const each = webhooks.map(({ webhook, count: deliveries, refusal }) => ({
    webhook_id: webhook.id,
    app_id: webhook.appId,
    deliveries,
    ...(refusal !== undefined && { refused: `Nothing is sent: ${refusal}.` }),
  }))
  return { data: { ...counted(count, isDryRun), webhooks: each }, meta: { ...(next !== undefined && { next_after: next }) } }
}

function placeIn(after: string | undefined): number | undefined {
  if (after === undefined) return undefined
  const place = sequenceOf(after)
  if (place !== undefined) return place
  throw invalidRequest([
    { message: '$.after: must be meta.next_after of a call with this webhook_id, a whole number', parameters: { after: [after] } },
  ])
}

export const resendDeliveries = endpoint({
  name: 'resendDeliveries',
  route: 'POST /operator/deliveries/resend',
  section: '§6',
  summary: 'Send deliveries again that have ended.',
  description: `One delivery (\`webhook_id\`, \`event_uuid\`); those of a webhook that ended in a \`state\`, of events accepted from \`from\` (inclusive) to \`to\` (exclusive); or those of every webhook (\`from\`, \`to\`), or of an \`app_id\`, that were given up or not sent, unless \`state\` names another. Webhook by webhook, oldest first, at most ${MAX_RESENT} a call. \`dry_run\` counts them and sends nothing. A delivery that is pending, in flight or retrying is not counted and not sent twice. A resend is a retry: it goes on in the retry plan where the delivery had come, and one whose plan has ended is tried once more. The webhook must be valid, and its app not suspended: without \`webhook_id\` others are passed over, and \`webhooks\` says why.`,
  auth: operatorOrPortal({
    webhook_id: 'webhook',
    event_uuid: 'any',
    event_type: 'any',
    state: 'any',
    from: 'any',
    to: 'any',
    dry_run: 'any',
    after: 'any',
  }),
  params: {
    webhook_id: optional(id()),
    event_uuid: optional(matching('^-?[0-9]{1,19}$', { mustBe: 'a whole number of at most 19 digits' })),
    app_id: optional(id({ description: 'Only of webhooks of this app.' })),
    event_type: optional(eventTypeName({ description: 'Only of events of this type.' })),
    state: optional(oneOf(['given_up', 'not_sent', 'delivered'])),
    from: optional(windowTime('When the first event was accepted, inclusive.')),
    to: optional(windowTime('When the last event was accepted, exclusive.')),
    dry_run: optional(boolean({ description: 'Count, and send nothing.' })),
    after: optional(
      matching(PLACE, { description: '`meta.next_after` of the previous call.', mustBe: 'meta.next_after of a previous call' }),
    ),
  },
  example: { from: '2026-03-01T12:00:00Z', to: '2026-03-01T13:00:00Z', dry_run: true },
  rules: [
    oneOrMany,
    withoutWebhook('from'),
    withoutWebhook('to'),
    requires('event_uuid', 'webhook_id'),
    requires('state', 'from'),
    requires('state', 'to'),
    mutuallyExclusive('event_uuid', 'from'),
    mutuallyExclusive('event_uuid', 'to'),
    mutuallyExclusive('event_uuid', 'after'),
    mutuallyExclusive('event_uuid', 'event_type'),
    mutuallyExclusive('event_uuid', 'dry_run'),
    mutuallyExclusive('app_id', 'webhook_id'),
  ],
  answer,
  problems: ['not-found', 'CrcValidationFailed', 'conflict', 'usage-capped'],
  async handle({ params, caller }, services: ResendToAllServices & QuotaServices) {
    const { webhook_id, event_uuid, app_id, event_type, state, from, to, dry_run = false, after } = params
    const { resender, apps } = services
    const filter = {
      states: state === undefined ? FAILED : [state],
      eventType: event_type === undefined ? undefined : canonicalEventType(event_type),
      isDryRun: dry_run,
    }
    if (webhook_id === undefined) {
      const window = windowOf(from!, to!)
      if (app_id !== undefined && !(await apps.byId(app_id))) throw new Problem('not-found', { detail: `There is no app ${app_id}.` })
      return viewOfAll(await resendToAll({ appId: app_id, filter: { ...filter, ...window }, after }, services), dry_run)
    }
    const window = state && windowOf(from!, to!)
    const { webhook, app } = await webhookOfApp(services, webhook_id)
    if (caller.app && !dry_run) await assertQuotas(app, services)
    if (!webhook.valid) throw webhookProblem('CrcValidationFailed', invalidWebhook(webhook_id))
    const place = placeIn(after)
    const resent = window
      ? await resender.matching({ ...filter, webhookId: webhook_id, ...window, after: place })
      : await resender.one(webhook_id, event_uuid!)
    if (!resent) throw new Problem('not-found', { detail: `The webhook ${webhook_id} has no delivery of the event ${event_uuid}.` })
    return viewOfOne(resent, dry_run)
  },
})
