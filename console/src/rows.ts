import { batch, computed, signal } from '@preact/signals'
import { get } from './api.ts'
import { appOf, isDevelopment } from './names.ts'
import type { Call, Delivery, Update } from './server-types.ts'
import { counted } from './words.ts'

export type Kind = 'call' | 'event' | 'delivery' | 'challenge'

/** A row of the feed. */
export interface Row {
  key: string
  kind: Kind
  at: string
  /** What it is, in a few words: `POST /2/webhooks`, `dm.received`. */
  what: string
  eventType: string | null
  appId: string | null
  webhookId: string | null
  /** The user whom an event is about, or for whom a call was made; null where that is not known. */
  userId: string | null
  /** Of a call. */
  endpoint: string | null
  /** How many a delivery has had. */
  attempts: number
  /** The words of `State` in parts/state.tsx. */
  state: string
  status: number | null
  detail: string
  /** Of a call: events that nobody got. */
  unmatched?: Call['unmatched']
  /** Its page. */
  to: (string | number)[]
}

/** Rows that are kept: older ones go. */
const MOST_ROWS = 500
const PAGE = 100

/** What is shown, newest first. */
export const shown = signal<readonly Row[]>([])
/** What has come since and is held back, newest first. */
export const held = signal<readonly Row[]>([])
export const isPaused = signal(false)
/** Where older deliveries go on. */
interface Older {
  /** A part of the query of their list. */
  query: string
  /** None of them is after it. */
  at: string
}

/** Undefined if there are no older deliveries. */
const older = signal<Older | undefined>(undefined)
export const hasOlder = computed(() => older.value !== undefined)
/** Where what is held back does not go on with what is shown: which rows of that stay, and where older deliveries go on. */
let heldApart: { stays: (row: Row) => boolean; older: Older | undefined } | undefined
/** Rows of data that were replaced: they stay until the lists are read again. */
let outdated = new WeakSet<Row>()

const FIRST_REFUSED_STATUS = 400

type ShownCall = Pick<Call, 'sequence' | 'at' | 'method' | 'endpoint' | 'app_id' | 'status' | 'duration_ms' | 'unmatched'> & {
  path: string
  user_id: string | null
}

/** `nobody got dm.received`, where a call would have caused events. */
const lost = (unmatched: Call['unmatched']) =>
  unmatched.length === 0 ? '' : `nobody got ${[...new Set(unmatched.map(({ event_type }) => event_type))].join(', ')}`

const callRow = (call: ShownCall): Row => ({
  key: `call ${call.sequence}`,
  kind: 'call',
  at: call.at,
  what: `${call.method} ${call.path}`,
  eventType: null,
  appId: call.app_id,
  webhookId: null,
  userId: call.user_id,
  endpoint: call.endpoint,
  attempts: 0,
  state: call.status < FIRST_REFUSED_STATUS ? 'answered' : 'refused',
  status: call.status,
  detail: [`${call.duration_ms} ms`, lost(call.unmatched)].filter(Boolean).join('; '),
  unmatched: call.unmatched,
  to: ['calls', call.sequence],
})

const eventRow = (event: { event_uuid: string; event_type: string; user_id: string; at: string; deliveries: number }): Row => ({
  key: `event ${event.event_uuid}`,
  kind: 'event',
  at: event.at,
  what: event.event_type,
  eventType: event.event_type,
  appId: null,
  webhookId: null,
  userId: event.user_id,
  endpoint: null,
  attempts: 0,
  state: event.deliveries > 0 ? 'accepted' : 'unmatched',
  status: null,
  detail: counted(event.deliveries, 'delivery', 'deliveries'),
  to: ['events', event.event_uuid],
})

type ShownDelivery = Pick<Delivery, 'event_uuid' | 'event_type' | 'webhook_id' | 'state'> & {
  at: string
  app_id: string | null
  user_id: string | null
  status: number | null
  attempts: number
}

const deliveryRow = ({ at, event_uuid, event_type, webhook_id, app_id, user_id, state, status, attempts }: ShownDelivery): Row => ({
  key: `delivery ${event_uuid} ${webhook_id}`,
  kind: 'delivery',
  at,
  what: event_type,
  eventType: event_type,
  appId: app_id,
  webhookId: webhook_id,
  userId: user_id,
  endpoint: null,
  attempts,
  state,
  status,
  detail: counted(attempts, 'attempt', 'attempts'),
  to: ['events', event_uuid, webhook_id],
})

const challengeRow = (update: Extract<Update, { kind: 'challenge' }>): Row => ({
  key: `challenge ${update.webhook_id} ${update.at}`,
  kind: 'challenge',
  at: update.at,
  what: 'challenge (CRC)',
  eventType: null,
  appId: update.app_id,
  webhookId: update.webhook_id,
  userId: null,
  endpoint: null,
  attempts: 0,
  state: update.passed ? 'passed' : 'failed',
  status: null,
  detail: update.webhook_id === null ? 'before it was registered' : '',
  to: update.webhook_id === null ? ['webhooks'] : ['webhooks', update.webhook_id],
})

/** The rows that an update adds or changes, oldest first. */
function rowsOf(update: Update): Row[] {
  switch (update.kind) {
    case 'call':
      return [callRow(update)]
    case 'challenge':
      return [challengeRow(update)]
    case 'event':
      return [
        eventRow(update),
        ...update.webhook_ids.map((webhook_id) =>
          deliveryRow({
            ...update,
            webhook_id,
            app_id: appOf(webhook_id),
            state: update.kept_back.includes(webhook_id) ? 'not_sent' : 'pending',
            status: null,
            attempts: 0,
          }),
        ),
      ]
    case 'attempt':
      if (update.is_replay) return []
      return [
        deliveryRow({
          ...update,
          // A process of an older build does not tell it.
          at: update.accepted_at ?? update.at,
          app_id: appOf(update.webhook_id),
          user_id: null,
          state: update.state as Delivery['state'],
          attempts: update.n,
        }),
      ]
  }
}

/** An attempt is told before it is committed, so that what is read later may lack it. */
const isBehind = (change: Row, row: Row) => change.attempts < row.attempts && !outdated.has(row)

/** A list with some rows changed: each stays in its place, and keeps its time and its user, which an attempt does not tell. */
function changed(rows: readonly Row[], changes: ReadonlyMap<string, Row>): readonly Row[] {
  if (!rows.some(({ key }) => changes.has(key))) return rows
  return rows.map((row) => {
    const change = changes.get(row.key)
    return change && !isBehind(change, row) ? { ...change, at: row.at, userId: change.userId ?? row.userId } : row
  })
}

/** Takes what the feed tells. New rows are shown at once, or held back where they would move what somebody reads. */
export function takeUpdates(updates: readonly Update[], holdsBack: boolean): number {
  const latest = new Map<string, Row>()
  for (const row of updates.flatMap(rowsOf)) latest.set(row.key, { ...row, at: latest.get(row.key)?.at ?? row.at })
  const known = new Set([...shown.value, ...held.value].map(({ key }) => key))
  const end = heldApart ? heldApart.older : older.value
  // An attempt may be that of one of the older deliveries, which are read.
  const isOlder = ({ kind, at, to }: Row) => kind === 'delivery' && at < (end?.at ?? '') && !latest.has(`event ${to[1]}`)
  const fresh = [...latest.values()].filter((row) => !known.has(row.key) && !isOlder(row)).reverse()
  batch(() => {
    shown.value = changed(shown.value, latest)
    const waiting = [...fresh, ...changed(held.value, latest)]
    held.value = waiting.slice(0, MOST_ROWS)
    const cut = waiting[MOST_ROWS]
    if (cut) heldApart = { stays: isToldAlone, older: upTo(cut) }
    if (!holdsBack) showHeld()
  })
  return fresh.length
}

const newestFirst = (rows: Row[]) => rows.sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0))

/** Challenges, and events that went nowhere, are told by the feed alone. */
const isToldAlone = ({ kind, state }: Row) => kind === 'challenge' || state === 'unmatched'

/** The list of deliveries from a row that is cut off. */
const upTo = ({ at }: Row): Older => ({ query: `accepted_to=${new Date(Date.parse(at) + 1).toISOString()}`, at })

export function showHeld() {
  if (held.value.length === 0 && !heldApart) return
  batch(() => {
    // An attempt adds the delivery of an event that was accepted before.
    const rows = newestFirst([...held.value, ...shown.value.filter(heldApart?.stays ?? (() => true))])
    if (heldApart) older.value = heldApart.older
    const cut = rows.slice(MOST_ROWS).find((row) => !isToldAlone(row))
    if (cut) older.value = upTo(cut)
    shown.value = rows.slice(0, MOST_ROWS)
    held.value = []
    heldApart = undefined
  })
}

interface Deliveries {
  data: Delivery[]
  meta: { next_before?: string }
}

const pathOf = (url: string) => url.split('?', 1)[0]!

/** The rows of deliveries, and of their events. */
function rowsOfDeliveries(deliveries: readonly Delivery[]): Row[] {
  const byEvent = Map.groupBy(deliveries, ({ event_uuid }) => event_uuid)
  return [...byEvent.values()].flatMap((ofEvent) => [
    ...ofEvent.map((delivery) => {
      // The feed does not tell, nor count, the attempts of replays.
      const attempts = delivery.attempts.filter(({ replay_job_id }) => replay_job_id === null)
      return deliveryRow({ ...delivery, at: delivery.accepted_at, status: attempts.at(-1)?.status ?? null, attempts: attempts.length })
    }),
    eventRow({ ...ofEvent[0]!, at: ofEvent[0]!.accepted_at, deliveries: ofEvent.length }),
  ])
}

const after = ({ data, meta }: Deliveries): Older | undefined =>
  meta.next_before === undefined ? undefined : { query: `before=${meta.next_before}`, at: data.at(-1)!.accepted_at }

/** Takes what was read, and where what is older goes on. What is shown changes in its place; other rows, and where the list ends, are held back. */
function takeRead(rows: readonly Row[], next: Older | undefined) {
  const from = next?.at ?? ''
  const read = new Map(rows.map((row) => [row.key, row]))
  // What is as new, and was not read, was told meanwhile.
  const stays = (row: Row) => read.has(row.key) || isToldAlone(row) || (row.at >= from && !outdated.has(row))
  shown.value = changed(shown.value, read)
  const waiting = changed(held.value, read).filter(stays)
  const known = new Set([...shown.value, ...waiting].map(({ key }) => key))
  held.value = newestFirst([...rows.filter(({ key }) => !known.has(key)), ...waiting])
  heldApart = { stays, older: next }
}

/** The data were replaced: what was told until now, and what is being read, may be gone. */
export const outdate = () => {
  outdated = new WeakSet([...held.value, ...shown.value])
}

/** Reads what has happened until now. It replaces what is shown, unless somebody reads that: then it is held back. */
export async function readRows(holdsBack: () => boolean) {
  const begun = outdated
  const [deliveries, calls] = await Promise.all([
    get<Deliveries>(`deliveries?max_results=${PAGE}`),
    isDevelopment.value ? get<{ data: Call[] }>(`requests?last=${PAGE}`) : undefined,
  ])
  const ofCalls = calls?.body.data.map((call) => callRow({ ...call, path: pathOf(call.url) })) ?? []
  if (begun !== outdated) return
  const { data } = deliveries.body
  batch(() => {
    takeRead([...rowsOfDeliveries(data), ...ofCalls.reverse()], after(deliveries.body))
    if (!holdsBack()) showHeld()
  })
}

/** Reads the deliveries before those that are shown. Where rows were cut off, the first pages may have none but these. */
export async function readOlder() {
  const { body } = await get<Deliveries>(`deliveries?max_results=${PAGE}&${older.value!.query}`)
  const known = new Set(shown.value.map(({ key }) => key))
  const rows = rowsOfDeliveries(body.data).filter(({ key }) => !known.has(key))
  batch(() => {
    older.value = after(body)
    shown.value = [...shown.value, ...rows]
  })
  if (rows.length === 0 && body.data.length > 0 && hasOlder.value) await readOlder()
}
