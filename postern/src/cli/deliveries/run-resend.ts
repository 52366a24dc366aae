import { setTimeout as wait } from 'node:timers/promises'
import type { Arguments, RunCommand } from '../command.ts'
import { EXIT, Failure, wrongUsage } from '../failure.ts'
import { timeMs } from '../read-values.ts'
import { type Json, reasonsOf, type Server } from '../server.ts'
import { type Delivery, sayDelivery, serverTimeMs } from './delivery.ts'

const DAY_MS = 86_400_000
const POLL_MS = 200

interface Resent {
  resent: number
  /** Deliveries that are not sent again, because they have not ended. */
  open: readonly Delivery[]
  /** Why nothing is sent to some webhooks. */
  refused: readonly string[]
}

/** The deliveries of an event, to one webhook if that is wanted. */
async function deliveriesOf(server: Server, event: string, webhook: string | undefined): Promise<Delivery[]> {
  const { data } = await server.operator('GET', '/operator/deliveries', { query: { event_uuid: event, webhook_id: webhook } })
  if (data.length > 0) return data
  const whose = webhook === undefined ? 'No webhook' : `The webhook ${webhook}`
  const has = webhook === undefined ? 'has a delivery' : 'has no delivery'
  throw new Failure(`${whose} ${has} of the event ${event}: \`postern deliveries\` lists what there is.`)
}

/** Why the server sends nothing to a webhook, with where that is. */
const sayRefused = ({ url, webhook_id }: Delivery, { message, answer }: Failure): string =>
  `not sent again to ${url ?? 'a deleted webhook'} (webhook ${webhook_id}): ${reasonsOf(answer?.body ?? {}).join('; ') || message}`

/** Sends an event again to one webhook after the other. One that is refused keeps none of the others from getting it. */
async function resendEvent(server: Server, event: string, webhook: string | undefined): Promise<Resent> {
  const open: Delivery[] = []
  const refused: string[] = []
  let resent = 0
  for (const delivery of await deliveriesOf(server, event, webhook)) {
    const json = { event_uuid: event, webhook_id: delivery.webhook_id }
    try {
      const { data } = await server.operator('POST', '/operator/deliveries/resend', { json })
      resent += data.resent
      if (data.resent === 0) open.push(delivery)
    } catch (error) {
      if (!(error instanceof Failure && error.answer)) throw error
      refused.push(sayRefused(delivery, error))
    }
  }
  return { resent, open, refused }
}

/** What a call answers of a webhook. */
interface OfWebhook {
  webhook_id: string
  deliveries: number
  refused?: string
}

/** Which deliveries of a window, as parameters. */
async function filterOf(server: Server, { options }: Arguments) {
  const { webhook, app, type, state, from, to } = options as Record<string, string | undefined>
  const nowMs = await serverTimeMs(server)
  const fromMs = from === undefined ? nowMs - DAY_MS : timeMs('--from', from, nowMs)
  const toMs = to === undefined ? nowMs + 1 : timeMs('--to', to, nowMs)
  const times = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
  return { webhook_id: webhook, app_id: app, event_type: type, state, ...times }
}

/** All of a window, page by page: of one webhook, or counted. */
async function resendPages(server: Server, given: Arguments): Promise<Resent> {
  const filter = { ...(await filterOf(server, given)), dry_run: given.options['dry-run'] }
  let resent = 0
  let after: string | undefined
  const refused = new Map<string, string>()
  do {
    const { data, meta } = await server.operator('POST', '/operator/deliveries/resend', { json: { ...filter, after } })
    resent += data.would_resend ?? data.resent
    for (const one of (data.webhooks ?? []) as OfWebhook[]) if (one.refused) refused.set(one.webhook_id, one.refused)
    after = meta.next_after
  } while (after !== undefined)
  return { resent, open: [], refused: [...refused.values()] }
}

/** Resends to every webhook, as a job of the server, and waits for its end unless that is not wanted. */
async function resendByJob(server: Server, given: Arguments, note: (line: string) => void): Promise<Json> {
  const { webhook_id: _, ...json } = await filterOf(server, given)
  let { data } = await server.operator('POST', '/operator/resends', { json })
  if (given.options['no-wait']) return data
  note(`The resend job ${data.job_id} goes on if this ends. \`postern resend --cancel ${data.job_id}\` cancels it.`)
  while (data.state === 'running') {
    await wait(POLL_MS)
    data = (await server.operator('GET', `/operator/resends/${data.job_id}`)).data
  }
  return data
}

const sayResent = (resent: number, isDryRun: boolean) => {
  const deliveries = resent === 1 ? 'delivery' : 'deliveries'
  if (isDryRun) return `${resent} ${deliveries} would be sent again. Nothing was sent.`
  return `${resent} ${deliveries} ${resent === 1 ? 'is' : 'are'} sent again.`
}

function sayJob({ job_id, state, resent, refused }: Json): string[] {
  if (state === 'running') return [`resend job ${job_id} has begun`]
  return [
    sayResent(resent, false),
    ...(state === 'complete' ? [] : [`The resend job ${job_id} is ${state}.`]),
    ...(refused === 0
      ? []
      : [`${refused} more cannot be sent: their webhook is invalid, or its app suspended. --dry-run says which webhooks.`]),
  ]
}

/** What chooses among many deliveries. `to` comes last: alone it does not choose. */
const FILTERS = ['app', 'type', 'state', 'from', 'to'] as const

/** The first of some options that is given. */
const firstGiven = (options: Arguments['options'], names: readonly string[]) =>
  names.find((name) => options[name] !== undefined && options[name] !== false)

function checkCancel(event: string | undefined, options: Arguments['options']) {
  const other = firstGiven(options, ['webhook', ...FILTERS, 'dry-run', 'no-wait'])
  if (event === undefined && other === undefined) return
  const what = event === undefined ? `--${other}` : 'event'
  throw wrongUsage(`--cancel takes no ${what}: it takes the id of a resend job and nothing else.`)
}

function checkUsage(event: string | undefined, options: Arguments['options']) {
  if (options.cancel !== undefined) return checkCancel(event, options)
  const { webhook, app, state } = options
  const isDryRun = options['dry-run']
  const filter = firstGiven(options, FILTERS)
  if (event !== undefined && filter !== undefined) throw wrongUsage(`--${filter} chooses among many deliveries, not those of one event.`)
  // A --to alone would resend to everybody from 24 hours ago on, without anybody having said so.
  if (event === undefined && (filter === undefined || filter === 'to'))
    throw wrongUsage('Name either an event, or which deliveries: a --state, an --app, a --type or a --from.')
  if (event !== undefined && isDryRun) throw wrongUsage('--dry-run counts many deliveries, not those of one event.')
  if (event === undefined && webhook !== undefined && state === undefined) throw wrongUsage('--webhook needs a --state, or an event.')
  if (webhook !== undefined && app !== undefined) throw wrongUsage('--webhook and --app exclude each other.')
  if (options['no-wait'] && (event !== undefined || webhook !== undefined || isDryRun))
    throw wrongUsage('--no-wait is for a resend to every webhook, or to those of an --app.')
}

/** Sends deliveries again: of one event, or those that ended in a state. */
export const runResend: RunCommand = async (given, { out, server }) => {
  const [event] = given.positionals
  checkUsage(event, given.options)
  const { webhook, cancel, 'dry-run': isDryRun = false } = given.options as { webhook?: string; cancel?: string; 'dry-run'?: boolean }
  if (cancel !== undefined) {
    const { data } = await server.operator('DELETE', `/operator/resends/${encodeURIComponent(cancel)}`)
    out.show({ data }, () => sayJob(data))
    return EXIT.done
  }
  if (event === undefined && webhook === undefined && !isDryRun) {
    const data = await resendByJob(server, given, (line) => out.note(line))
    out.show({ data }, () => sayJob(data))
    return data.state === 'running' || data.state === 'complete' ? EXIT.done : EXIT.refused
  }
  const { resent, open, refused } = event === undefined ? await resendPages(server, given) : await resendEvent(server, event, webhook)
  const told = refused.length > 0 && { refused }
  out.show({ data: isDryRun ? { would_resend: resent } : { resent, ...told } }, () => [
    sayResent(resent, isDryRun),
    ...refused,
    ...open.map((delivery) => `not sent again, because it has not ended yet: ${sayDelivery(delivery)}`),
  ])
  return isDryRun || refused.length === 0 ? EXIT.done : EXIT.refused
}
