import { webhooks } from './names.ts'
import type { Row } from './rows.ts'
import type { Call } from './server-types.ts'

/** What the rows are narrowed to; each is a part of the query of the page. */
export const filterNames = ['kind', 'app', 'type', 'webhook', 'user', 'endpoint', 'outcome', 'status', 'attempts', 'from', 'to'] as const
export type Filter = Partial<Record<(typeof filterNames)[number], string>>

const FAILED_TO_ANSWER = 'none'

/** `2xx`, or `none` where nothing was answered. */
const statusClassOf = ({ status }: Row) => (status === null ? FAILED_TO_ANSWER : `${Math.floor(status / 100)}xx`)

/** The apps that a row is about: that of an event are those of its webhooks, which only its deliveries name. */
const isOfApp = (row: Row, app: string) =>
  row.appId === app || (row.webhookId !== null && webhooks.value.some(({ id, app_id }) => id === row.webhookId && app_id === app))

const timeOf = (text: string | undefined, otherwise: number) => {
  const ms = Date.parse(text ?? '')
  return Number.isNaN(ms) ? otherwise : ms
}

const isLost = ({ unmatched = [] }: Row, is: (event: Call['unmatched'][number]) => boolean) => unmatched.some(is)

/** Returns a function that says whether a row is one of those that a filter leaves. */
export function matcherOf({ kind, app, type, webhook, user, endpoint, outcome, status, attempts, from, to }: Filter) {
  const [fromMs, toMs] = [timeOf(from, Number.NEGATIVE_INFINITY), timeOf(to, Number.POSITIVE_INFINITY)]
  const isWithin = (at: string) => Date.parse(at) >= fromMs && Date.parse(at) < toMs
  return (row: Row): boolean =>
    (kind === undefined || row.kind === kind) &&
    (app === undefined || isOfApp(row, app)) &&
    (type === undefined || row.eventType === type || isLost(row, ({ event_type }) => event_type === type)) &&
    (webhook === undefined || row.webhookId === webhook) &&
    (user === undefined || row.userId === user || isLost(row, ({ user_id }) => user_id === user)) &&
    (endpoint === undefined || row.endpoint === endpoint) &&
    (outcome === undefined || row.state === outcome || (outcome === 'unmatched' && isLost(row, () => true))) &&
    (status === undefined || statusClassOf(row) === status) &&
    (attempts === undefined || row.attempts >= Number(attempts)) &&
    isWithin(row.at)
}
