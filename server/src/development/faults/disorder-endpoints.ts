import { randomInt } from 'node:crypto'
import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { invalidRequest, Problem } from '../../api/declare/problem.ts'
import {
  boolean,
  commaList,
  defaulting,
  duration,
  id,
  integer,
  iso,
  listOf,
  number,
  object,
  oneOf,
  oneOfNumbers,
  optional,
  type Static,
  text,
  timestamp,
} from '../../api/declare/words.ts'
import { formatDuration, MINUTE_MS, parseDuration } from '../../lib/time.ts'
import type { AppStore } from '../../storage/apps.ts'
import { type Disorder, type DisorderKind, type Drawn, disorderKinds, disorderStatuses, MOST_FAILURES } from './disorder.ts'
import type { Disorders } from './disorders.ts'
import { DISORDER_HEADER } from './disturb-call.ts'

const MOST_SEEDS = 2 ** 32

/** More is no disorder but an outage, for which there are faults. */
const MOST_SHARE = 0.5
const USUAL_SHARE = 0.1
const USUAL_DELAY = '500ms'
const MAX_DELAY_MS = MINUTE_MS

const seedWord = (description: string) => integer({ min: 0, max: MOST_SEEDS - 1, example: 7, description })

const share = (description: string) => number({ min: 0, max: MOST_SHARE, example: 0.2, description })

const kindWord = oneOf(disorderKinds)
const statusWord = oneOfNumbers(disorderStatuses)

const drawnSchema = object({
  fault: text({ description: 'The id of the fault, as in `x-postern-fault`, in recorded calls and in attempts.' }),
  at: timestamp(),
  what: text({ description: 'The endpoint, or the event type.' }),
  count: integer({ min: 1, description: 'It was this call of its caller to the endpoint, or this delivery of the type at this attempt.' }),
  attempt: optional(integer({ min: 1, description: 'Of a delivery.' })),
  kind: kindWord,
  status: optional(integer()),
  delay: optional(text()),
  app_id: optional(id()),
  user_id: optional(id()),
  webhook_id: optional(id()),
  event_uuid: optional(text()),
})

const countsSchema = object({ seen: integer({ min: 0 }), hit: integer({ min: 0 }) })

const disorderMembers = {
  id: id({ example: '1' }),
  seed: seedWord('The same seed draws the same faults.'),
  calls: share('The share of calls that are hit.'),
  deliveries: share('The share of attempts of deliveries that are hit.'),
  kinds: listOf(kindWord),
  statuses: listOf(statusWord),
  max_delay: text(),
  app_id: optional(id()),
  counts: object({ calls: countsSchema, deliveries: countsSchema }),
  created_at: timestamp(),
}

export const disorderSchema = object({
  ...disorderMembers,
  drawn: listOf(drawnSchema, { description: 'The last 1,000 faults, oldest first.' }),
})

const listedSchema = object(disorderMembers)

const drawnView = ({ id: fault, atMs, what, count, attempt, effect, appId, userId, webhookId, eventUuid }: Drawn) => ({
  fault,
  at: iso(atMs),
  what,
  count,
  ...(attempt !== undefined && { attempt }),
  kind: effect.kind as DisorderKind,
  ...(effect.kind === 'status' && { status: effect.status }),
  ...(effect.kind === 'delay' && { delay: formatDuration(effect.delayMs) }),
  ...(appId !== undefined && { app_id: appId }),
  ...(userId !== undefined && { user_id: userId }),
  ...(webhookId !== undefined && { webhook_id: webhookId }),
  ...(eventUuid !== undefined && { event_uuid: eventUuid }),
})

const listedView = ({ id, settings, counts, createdAtMs }: Disorder): Static<typeof listedSchema> => ({
  id,
  seed: settings.seed,
  calls: settings.calls,
  deliveries: settings.deliveries,
  kinds: [...settings.kinds],
  statuses: [...settings.statuses],
  max_delay: formatDuration(settings.maxDelayMs),
  ...(settings.appId !== undefined && { app_id: settings.appId }),
  counts: { calls: { ...counts.call }, deliveries: { ...counts.delivery } },
  created_at: iso(createdAtMs),
})

const disorderView = (disorder: Disorder): Static<typeof disorderSchema> => ({
  ...listedView(disorder),
  drawn: disorder.drawn.map(drawnView),
})

function maxDelayMsOf(delay: string): number {
  const ms = parseDuration(delay) ?? 0
  if (ms >= 1 && ms <= MAX_DELAY_MS) return ms
  throw invalidRequest([{ message: '$.max_delay: must be at least 1ms and at most 1m', parameters: { max_delay: [delay] } }])
}

const notFound = (detail: string) => new Problem('not-found', { detail })

const noSuchDisorder = (disorderId: string) => notFound(`There is no disorder ${disorderId}: it was ended, or a reset took it away.`)

interface BeginServices {
  disorders: Disorders
  apps: AppStore
}

export const createDisorder = endpoint({
  name: 'createDisorder',
  route: 'POST /operator/disorders',
  section: '§6',
  summary: 'Begin a disorder: calls and deliveries are hit by faults that a seed draws.',
  description: `Development only. Faults are drawn as a platform has them on a bad day. Calls are refused (\`status\`), answered late, cut, or, if they only read, answered with garbage. Deliveries are answered with an error that the callback did not give, sent late, sent twice, sent after the next, or their answer is lost. Nothing impossible is drawn: no event is lost, no signature is wrong, nothing of the operator, no challenge. One caller has at most ${MOST_FAILURES} calls to one endpoint refused or cut in a row, and at most ${MOST_FAILURES} attempts of one delivery fail, so whoever tries again gets through. The same seed draws the same: a call is counted by its endpoint, app and user, a delivery by its event type, app, user and attempt, so what runs beside alters nothing. With \`app_id\` neither the app nor its users are counted by, because a world has other ids in each run. A call is hit once its credentials were checked, and before its rate limit counts. Faults of POST /operator/faults come first. A call with the header \`${DISORDER_HEADER}: off\` is left alone. One disorder for all apps and one for each app; a reset ends all.`,
  auth: operator,
  success: 201,
  params: {
    seed: optional(seedWord('Default: a random one, which the answer has.')),
    calls: defaulting(share('The share of calls that are hit.'), USUAL_SHARE),
    deliveries: defaulting(share('The share of attempts of deliveries that are hit.'), USUAL_SHARE),
    kinds: optional(commaList(kindWord, { max: disorderKinds.length, description: 'Default: all of them.' })),
    statuses: optional(
      commaList(statusWord, {
        max: disorderStatuses.length,
        description: 'What calls are refused with. 429 has the headers of a limit. Default: all of them.',
      }),
    ),
    max_delay: defaulting(
      duration({
        example: '2s',
        description: 'The longest delay, at most 1 minute. It follows the clock, so that moving the clock ends it.',
      }),
      USUAL_DELAY,
    ),
    app_id: optional(id({ description: 'Only calls of this app, and deliveries to it.' })),
  },
  example: { app_id: undefined },
  answer: object({ data: disorderSchema }),
  problems: ['not-found', 'conflict'],
  async handle({ params }, { disorders, apps }: BeginServices) {
    const {
      seed = randomInt(MOST_SEEDS),
      calls,
      deliveries,
      kinds = disorderKinds,
      statuses = disorderStatuses,
      max_delay,
      app_id,
    } = params
    const maxDelayMs = maxDelayMsOf(max_delay)
    if (app_id !== undefined && !(await apps.byId(app_id))) throw notFound(`There is no app ${app_id}.`)
    for (const { id: ofGone, settings } of disorders.list())
      if (settings.appId !== undefined && !(await apps.byId(settings.appId))) disorders.end(ofGone)
    return { data: disorderView(disorders.begin({ seed, calls, deliveries, kinds, statuses, maxDelayMs, appId: app_id })) }
  },
})

export const listDisorders = endpoint({
  name: 'listDisorders',
  route: 'GET /operator/disorders',
  section: '§6',
  summary: 'List the disorders, oldest first.',
  description: 'Development only.',
  auth: operator,
  params: {},
  answer: object({ data: listOf(listedSchema), meta: object({ result_count: integer({ min: 0 }) }) }),
  async handle(_call, { disorders }: { disorders: Disorders }) {
    const all = disorders.list()
    return { data: all.map(listedView), meta: { result_count: all.length } }
  },
})

export const getDisorder = endpoint({
  name: 'getDisorder',
  route: 'GET /operator/disorders/:disorder_id',
  section: '§6',
  summary: 'Get a disorder with the faults that it has drawn.',
  description: 'Development only.',
  auth: operator,
  params: { disorder_id: id({ example: '1' }) },
  answer: object({ data: disorderSchema }),
  problems: ['not-found'],
  async handle({ params: { disorder_id } }, { disorders }: { disorders: Disorders }) {
    const disorder = disorders.find(disorder_id)
    if (!disorder) throw noSuchDisorder(disorder_id)
    return { data: disorderView(disorder) }
  },
})

export const deleteDisorder = endpoint({
  name: 'deleteDisorder',
  route: 'DELETE /operator/disorders/:disorder_id',
  section: '§6',
  summary: 'End a disorder: it draws nothing any more.',
  description: 'Development only. Calls that are delayed already still wait.',
  auth: operator,
  params: { disorder_id: id({ example: '1' }) },
  answer: object({ data: object({ deleted: boolean() }) }),
  problems: ['not-found'],
  async handle({ params: { disorder_id } }, { disorders }: { disorders: Disorders }) {
    if (!disorders.end(disorder_id)) throw noSuchDisorder(disorder_id)
    return { data: { deleted: true } }
  },
})
