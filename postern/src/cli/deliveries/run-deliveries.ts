import type { RunCommand } from '../command.ts'
import { EXIT } from '../failure.ts'
import { tableLines } from '../output.ts'
import { wholeNumber } from '../read-values.ts'
import { type Delivery, sayAttempt, sayDelivery, timeGone, timeToCome } from './delivery.ts'
import { whyNobodyGot } from './why-nobody-got.ts'

const HEADINGS = ['accepted', 'event', 'type', 'webhook', 'state', 'attempts', 'last']

const rowOf = ({ accepted_at, event_uuid, event_type, webhook_id, state, attempts }: Delivery) => {
  const last = attempts.at(-1)
  return [accepted_at, event_uuid, event_type, webhook_id, state, String(attempts.length), last ? sayAttempt(last) : '–']
}

/** A delivery with each of its attempts. */
const detailLines = (delivery: Delivery) => [
  sayDelivery(delivery),
  ...delivery.attempts.map((attempt) => `  ${attempt.n} at ${attempt.at}: ${sayAttempt(attempt)}`),
]

/** Lists deliveries: a table, or those of one event with their attempts. Of an event that nobody got it says why. */
export const runDeliveries: RunCommand = async ({ options }, { out, server }) => {
  const { webhook, event, state, 'max-results': maxResults } = options as Record<string, string | undefined>
  const most = wholeNumber('max-results', maxResults!, 1, 1000)
  const [next_try_from, next_try_to] = [
    await timeToCome(server, '--next-from', options['next-from'] as string | undefined),
    await timeToCome(server, '--next-to', options['next-to'] as string | undefined),
  ]
  const accepted_to = await timeGone(server, '--accepted-to', options['accepted-to'] as string | undefined)
  const query = { webhook_id: webhook, event_uuid: event, state, next_try_from, next_try_to, accepted_to }
  const deliveries: Delivery[] = []
  let before: string | undefined
  // A page of a state may be short, although there is more.
  do {
    const max_results = String(most - deliveries.length)
    const { data, meta } = await server.operator('GET', '/operator/deliveries', { query: { ...query, max_results, before } })
    deliveries.push(...(data as Delivery[]))
    before = meta.next_before
  } while (before !== undefined && deliveries.length < most)
  const meta = { result_count: deliveries.length, ...(before !== undefined && { next_before: before }) }
  const isNarrowed = [webhook, state, next_try_from, next_try_to, accepted_to].some((one) => one !== undefined)
  const isForNobody = deliveries.length === 0 && event !== undefined && !isNarrowed
  const why = isForNobody && !out.isJson ? await whyNobodyGot(server, event) : []
  out.show({ data: deliveries, meta }, () => {
    if (deliveries.length === 0) return ['There are no such deliveries.', ...why]
    return event === undefined ? tableLines(HEADINGS, deliveries.map(rowOf)) : deliveries.flatMap(detailLines)
  })
  return EXIT.done
}
