import type { Arguments, RunCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { Failure, wrongUsage } from '../failure.ts'
import { timeMs } from '../read-values.ts'
import type { Server } from '../server/server.ts'
import type { Delivery } from './delivery.ts'
import { serverTimeMs } from './server-time.ts'

const DAY_MS = 86_400_000

/** The webhooks that an event was for, or the one that is wanted. */
async function webhooksOf(server: Server, event: string, webhook: string | undefined): Promise<string[]> {
  if (webhook !== undefined) return [webhook]
  const { data } = await server.operator('GET', '/operator/deliveries', { query: { event_uuid: event } })
  if (data.length === 0) throw new Failure(`No webhook has a delivery of the event ${event}: \`postern deliveries\` lists what there is.`)
  return [...new Set((data as Delivery[]).map(({ webhook_id }) => webhook_id))]
}

async function resendEvent(server: Server, event: string, webhook: string | undefined): Promise<number> {
  let resent = 0
  for (const webhook_id of await webhooksOf(server, event, webhook)) {
    const { data } = await server.operator('POST', '/operator/deliveries/resend', { json: { event_uuid: event, webhook_id } })
    resent += data.resent
  }
  return resent
}

/** All of a window, page by page. */
async function resendMany(server: Server, webhook_id: string, { options: { state, from, to } }: Arguments): Promise<number> {
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
  return resent
}

/** Sends deliveries again: of one event, or those of a webhook that ended in a state. */
export const runResend: RunCommand = async (given, { out, server }) => {
  const [event] = given.positionals
  const { webhook, state } = given.options as Record<string, string | undefined>
  if ((event === undefined) === (state === undefined)) throw wrongUsage('Name either an event, or a --webhook and a --state.')
  if (event === undefined && webhook === undefined) throw wrongUsage('--state needs a --webhook.')
  const resent = event === undefined ? await resendMany(server, webhook!, given) : await resendEvent(server, event, webhook)
  out.show({ data: { resent } }, () => [`${resent} ${resent === 1 ? 'delivery is' : 'deliveries are'} sent again.`])
  return EXIT.done
}
