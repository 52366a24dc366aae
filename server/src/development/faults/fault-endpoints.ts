import { operator } from '../../access/operator.ts'
import { type Endpoint, endpoint } from '../../api/declare/endpoint.ts'
import { invalidRequest, Problem } from '../../api/declare/problem.ts'
import { exactlyOne, mutuallyExclusive, type Rule } from '../../api/declare/rules.ts'
import {
  boolean,
  defaulting,
  duration,
  id,
  integer,
  iso,
  listOf,
  matching,
  object,
  optional,
  type Static,
  text,
  timestamp,
} from '../../api/declare/words.ts'
import { canonicalEventType } from '../../delivery/events/event-types.ts'
import { eventTypeName } from '../../endpoints/events/event-type-name.ts'
import { formatDuration, MINUTE_MS, parseDuration } from '../../lib/time.ts'
import type { AppStore } from '../../storage/apps.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import { callMeant, hasEndpoint } from './call-pattern.ts'
import { callStatuses } from './disturb-call.ts'
import {
  type Aim,
  ANY_EVENT,
  CHALLENGE,
  callKinds,
  challengeKinds,
  type Effect,
  type Fault,
  type FaultKind,
  faultKinds,
  REPLAY_STATUS,
} from './fault.ts'
import { type Faults, MAX_FAULTS } from './faults.ts'

/** The effects of a fault as they are sent and shown: one of them is given. */
const effectWords = {
  status: optional(
    integer({ min: 200, max: 599, example: 429, description: 'A call is refused with it, a callback is taken to have answered it.' }),
  ),
  delay: optional(duration({ example: '2s', description: 'At most 5 minutes. It follows the clock, so that moving the clock ends it.' })),
  cut: optional(boolean({ description: 'What is asked is done, and the answer is lost: of that to a call half arrives.' })),
  garbage: optional(
    boolean({ description: 'Bytes that are not JSON: in the answer to a call, in place of an event, in the answer to a challenge.' }),
  ),
  duplicate: optional(boolean({ description: 'A delivery is sent twice.' })),
  reorder: optional(boolean({ description: 'A delivery waits until the next one of its webhook was sent, for at most 2 s.' })),
  drop: optional(boolean({ description: 'A delivery is taken to have been acknowledged and is not sent: only a replay brings it.' })),
  wrong_signature: optional(boolean({ description: 'An event or a challenge is signed with another secret.' })),
}

const hitSchema = object({
  at: timestamp(),
  what: text({ description: 'The call, or the event type.' }),
  app_id: optional(id()),
  webhook_id: optional(id()),
  event_uuid: optional(text()),
})

export const faultSchema = object({
  id: id({ example: '1' }),
  call: optional(text()),
  delivery: optional(text()),
  app_id: optional(id()),
  webhook_id: optional(id()),
  ...effectWords,
  times_left: integer({ min: 0, description: 'How many more times it hits.' }),
  hits: listOf(hitSchema, { description: 'The last times that it hit, oldest first.' }),
  created_at: timestamp(),
})

function effectView(effect: Effect): Pick<Static<typeof faultSchema>, keyof typeof effectWords> {
  if (effect.kind === 'status') return { status: effect.status }
  if (effect.kind === 'delay') return { delay: formatDuration(effect.delayMs) }
  return { [effect.kind]: true }
}

const given = <Value>(name: string, value: Value | undefined) => (value === undefined ? {} : { [name]: value })

const faultView = ({ id, aim, effect, timesLeft, hits, createdAtMs }: Fault): Static<typeof faultSchema> => ({
  id,
  ...given('call', aim.call),
  ...given('delivery', aim.delivery),
  ...given('app_id', aim.appId),
  ...given('webhook_id', aim.webhookId),
  ...effectView(effect),
  times_left: timesLeft,
  hits: hits.map(({ atMs, what, appId, webhookId, eventUuid }) => ({
    at: iso(atMs),
    what,
    ...given('app_id', appId),
    ...given('webhook_id', webhookId),
    ...given('event_uuid', eventUuid),
  })),
  created_at: iso(createdAtMs),
})

const MAX_DELAY_MS = 5 * MINUTE_MS
const MAX_TIMES = 1000

interface Services {
  faults: Faults
  apps: AppStore
  webhooks: WebhookStore
  /** The endpoints of the public hosts. */
  publicEndpoints: () => readonly Pick<Endpoint, 'method' | 'path'>[]
}

type SentEffect = Partial<Record<FaultKind, unknown>>

const flags = faultKinds.filter((kind) => kind !== 'status' && kind !== 'delay')

/** `cut: false` would be no fault. */
const onlyTrue = flags.map(
  (name): Rule => ({ message: `\`${name}\` must be true or left out`, parameters: [name], holds: (params) => params[name] !== false }),
)

const mistake = (name: string, value: unknown, rule: string) =>
  invalidRequest([{ message: `$.${name}: ${rule}`, parameters: { [name]: [String(value)] } }])

function delayOf(delay: string): Effect {
  const delayMs = parseDuration(delay) ?? 0
  if (delayMs > MAX_DELAY_MS) throw mistake('delay', delay, 'must be at most 5m')
  return { kind: 'delay', delayMs }
}

function effectOf(sent: SentEffect, { call, delivery }: Aim): Effect {
  const kind = faultKinds.find((one) => sent[one] !== undefined)!
  if (call !== undefined && !callKinds.includes(kind)) throw mistake(kind, sent[kind], `a call can have ${callKinds.join(', ')}`)
  if (delivery === CHALLENGE && !challengeKinds.includes(kind))
    throw mistake(kind, sent[kind], `a challenge can have ${challengeKinds.join(', ')}`)
  if (kind === 'delay') return delayOf(sent.delay as string)
  if (kind !== 'status') return { kind }
  const status = sent.status as number
  if (call !== undefined && !callStatuses.includes(status))
    throw mistake('status', status, `a call can be refused with ${callStatuses.join(', ')}`)
  return { kind, status }
}

const CALL_RULE = 'must be a verb and a path of the reference, such as POST /2/webhooks or GET /2/users/:id; * is every call'

const notFound = (detail: string) => new Problem('not-found', { detail })

/** A fault for what does not exist would never hit, without a word. */
async function assertAim({ call, appId, webhookId }: Aim, { apps, webhooks, publicEndpoints }: Services) {
  if (call !== undefined && !hasEndpoint(call, publicEndpoints())) {
    const meant = callMeant(call, publicEndpoints())
    throw mistake('call', call, `${CALL_RULE}${meant && `.${meant}`}`)
  }
  if (appId !== undefined && !(await apps.byId(appId))) throw notFound(`There is no app ${appId}.`)
  if (webhookId !== undefined && !(await webhooks.byId(webhookId))) throw notFound(`There is no webhook ${webhookId}.`)
}

/** Faults of apps and webhooks that were deleted never hit again, and make room. */
async function removeIdle({ faults, apps, webhooks }: Services) {
  for (const { id: faultId, aim } of faults.list()) {
    const isIdle =
      (aim.appId !== undefined && !(await apps.byId(aim.appId))) || (aim.webhookId !== undefined && !(await webhooks.byId(aim.webhookId)))
    if (isIdle) faults.remove(faultId)
  }
}

export const createFault = endpoint({
  name: 'createFault',
  route: 'POST /operator/faults',
  section: '§6',
  summary: 'Let calls or deliveries fail, to see what a client or a receiver makes of it.',
  description: `Development only. A fault hits the next \`times\` calls or deliveries that it is for, the oldest fault first. A call is hit before anything else is done, as in an outage, unless \`app_id\` is given: then after its credentials were checked. \`status\` answers the error of that part of the API, 429 with the headers of a limit; the call is not done. With \`cut\` it is done, and half of its answer arrives. The answer has \`x-postern-fault\`. Of deliveries, \`status\` and \`drop\` do not ask the callback; attempts say which fault it was. A delivery that a fault made fail is retried as usual, a challenge is not. At most ${MAX_FAULTS} faults that have not hit yet; a reset deletes all.`,
  auth: operator,
  success: 201,
  params: {
    call: optional(
      matching('^(\\*|(GET|POST|PUT|PATCH|DELETE) /\\S{0,300})$', {
        example: 'POST /2/webhooks',
        mustBe: 'a verb and a path such as POST /2/webhooks or GET /2/users/:id, or * for every call',
        description:
          'A verb and a path as in the reference, in either dialect, on any public host. `:id` matches anything; `*` is every call.',
      }),
    ),
    delivery: optional(
      eventTypeName({ example: 'dm.received', description: 'An event type, `*` for every event, `challenge`, or `replay_job_status`.' }, [
        ANY_EVENT,
        CHALLENGE,
        REPLAY_STATUS,
      ]),
    ),
    app_id: optional(id({ description: 'Only calls of this app, or deliveries to it.' })),
    webhook_id: optional(id({ description: 'Only deliveries to this webhook, and its challenges once it is registered.' })),
    times: defaulting(integer({ min: 1, max: MAX_TIMES, description: 'How many times it hits.' }), 1),
    ...effectWords,
  },
  rules: [exactlyOne('call', 'delivery'), exactlyOne(...faultKinds), mutuallyExclusive('call', 'webhook_id'), ...onlyTrue],
  example: {
    call: undefined,
    webhook_id: undefined,
    app_id: undefined,
    ...Object.fromEntries(faultKinds.map((kind) => [kind, kind === 'status' ? 429 : undefined])),
  },
  answer: object({ data: faultSchema }),
  problems: ['not-found', 'conflict'],
  async handle({ params: { call, delivery, app_id, webhook_id, times, ...sent } }, services: Services) {
    const aim: Aim = { call, delivery: delivery && canonicalEventType(delivery), appId: app_id, webhookId: webhook_id }
    const effect = effectOf(sent, aim)
    await assertAim(aim, services)
    if (services.faults.list().length >= MAX_FAULTS) await removeIdle(services)
    return { data: faultView(services.faults.add(aim, effect, times)) }
  },
})

const ofApp = optional(id({ example: '1', description: 'Only those that were made with this `app_id`.' }))

export const listFaults = endpoint({
  name: 'listFaults',
  route: 'GET /operator/faults',
  section: '§6',
  summary: 'List the faults with what they hit, oldest first; those that are spent too.',
  description: 'Development only.',
  auth: operator,
  params: { app_id: ofApp },
  answer: object({ data: listOf(faultSchema), meta: object({ result_count: integer({ min: 0 }) }) }),
  async handle({ params: { app_id } }, { faults }: { faults: Faults }) {
    const found = faults.list(app_id)
    return { data: found.map(faultView), meta: { result_count: found.length } }
  },
})

export const deleteFault = endpoint({
  name: 'deleteFault',
  route: 'DELETE /operator/faults/:fault_id',
  section: '§6',
  summary: 'Delete a fault: it hits nothing any more.',
  description: 'Development only.',
  auth: operator,
  params: { fault_id: id({ example: '1' }) },
  answer: object({ data: object({ deleted: boolean() }) }),
  problems: ['not-found'],
  async handle({ params: { fault_id } }, { faults }: { faults: Faults }) {
    if (!faults.remove(fault_id)) throw new Problem('not-found', { detail: `There is no fault ${fault_id}.` })
    return { data: { deleted: true } }
  },
})

export const deleteFaults = endpoint({
  name: 'deleteFaults',
  route: 'DELETE /operator/faults',
  section: '§6',
  summary: 'Delete all faults, or those of an app.',
  description: 'Development only.',
  auth: operator,
  params: { app_id: ofApp },
  answer: object({ data: object({ deleted: integer({ min: 0, description: 'How many there were.' }) }) }),
  async handle({ params: { app_id } }, { faults }: { faults: Faults }) {
    return { data: { deleted: faults.clear(app_id) } }
  },
})
