import type { Arguments, RunCommand } from '../command.ts'
import { EXIT, Failure, wrongUsage } from '../failure.ts'
import { timeMs } from '../read-values.ts'
import type { Server } from '../server.ts'
import { type Delivery, sayDelivery, serverTimeMs } from './delivery.ts'

const DAY_MS = 86_400_000

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

async function resendEvent(server: Server, event: string, webhook: string | undefined): Promise<Resent> {
  const open: Delivery[] = []
  let resent = 0
  for (const delivery of await deliveriesOf(server, event, webhook)) {
    const json = { event_uuid: event, webhook_id: delivery.webhook_id }
    const { data } = await server.operator('POST', '/operator/deliveries/resend', { json })
    resent += data.resent
    if (data.resent === 0) open.push(delivery)
  }
  return { resent, open, refused: [] }
}

/** What a call answers of a webhook. */
interface OfWebhook {
  webhook_id: string
  deliveries: number
  refused?: string
}

/** All of a window, page by page. */
async function resendMany(server: Server, { options }: Arguments): Promise<Resent> {
  const { webhook, app, type, state, from, to, 'dry-run': isDryRun } = options as Record<string, string | undefined>
  const nowMs = await serverTimeMs(server)
  const fromMs = from === undefined ? nowMs - DAY_MS : timeMs('--from', from)
  const toMs = to === undefined ? nowMs + 1 : timeMs('--to', to)
  const times = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
  const filter = { webhook_id: webhook, app_id: app, event_type: type, state, ...times, dry_run: isDryRun }
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

const sayResent = (resent: number, isDryRun: boolean) => {
  const deliveries = resent === 1 ? 'delivery' : 'deliveries'
  if (isDryRun) return `${resent} ${deliveries} would be sent again. Nothing was sent.`
  return `${resent} ${deliveries} ${resent === 1 ? 'is' : 'are'} sent again.`
}

function checkUsage(event: string | undefined, { webhook, app, type, state, from, 'dry-run': isDryRun }: Arguments['options']) {
  const namesMany = [app, type, state, from].some((option) => option !== undefined)
  if ((event === undefined) !== namesMany)
    throw wrongUsage('Name either an event, or which deliveries: a --state, an --app, a --type or a --from.')
  if (event !== undefined && isDryRun) throw wrongUsage('--dry-run counts many deliveries, not those of one event.')
  if (event === undefined && webhook !== undefined && state === undefined) throw wrongUsage('--webhook needs a --state, or an event.')
  if (webhook !== undefined && app !== undefined) throw wrongUsage('--webhook and --app exclude each other.')
}

/** Sends deliveries again: of one event, or those that ended in a state. */
export const runResend: RunCommand = async (given, { out, server }) => {
  const [event] = given.positionals
  checkUsage(event, given.options)
  const { webhook, 'dry-run': isDryRun = false } = given.options as { webhook?: string; 'dry-run'?: boolean }
  const { resent, open, refused } = event === undefined ? await resendMany(server, given) : await resendEvent(server, event, webhook)
  out.show({ data: isDryRun ? { would_resend: resent } : { resent } }, () => [
    sayResent(resent, isDryRun),
    ...refused,
    ...open.map((delivery) => `not sent again, because it has not ended yet: ${sayDelivery(delivery)}`),
  ])
  return EXIT.done
}
