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
  return { resent, open }
}

/** All of a window, page by page. */
async function resendMany(server: Server, webhook_id: string, { options: { state, from, to } }: Arguments): Promise<Resent> {
  const nowMs = await serverTimeMs(server)
  const fromMs = from === undefined ? nowMs - DAY_MS : timeMs('--from', from as string)
  const toMs = to === undefined ? nowMs + 1 : timeMs('--to', to as string)
  const window = { webhook_id, state, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
  let resent = 0
  let after: string | undefined
  do {
    const { data, meta } = await server.operator('POST', '/operator/deliveries/resend', { json: { ...window, after } })
    resent += data.resent
    after = meta.next_after
  } while (after !== undefined)
  return { resent, open: [] }
}

const sayResent = (resent: number) => `${resent} ${resent === 1 ? 'delivery is' : 'deliveries are'} sent again.`

/** Sends deliveries again: of one event, or those of a webhook that ended in a state. */
export const runResend: RunCommand = async (given, { out, server }) => {
  const [event] = given.positionals
  const { webhook, state } = given.options as Record<string, string | undefined>
  if ((event === undefined) === (state === undefined)) throw wrongUsage('Name either an event, or a --webhook and a --state.')
  if (event === undefined && webhook === undefined) throw wrongUsage('--state needs a --webhook.')
  const { resent, open } = event === undefined ? await resendMany(server, webhook!, given) : await resendEvent(server, event, webhook)
  out.show({ data: { resent } }, () => [
    sayResent(resent),
    ...open.map((delivery) => `not sent again, because it has not ended yet: ${sayDelivery(delivery)}`),
  ])
  return EXIT.done
}
