import type { RunCommand } from '../command.ts'
import { confirm } from '../confirm.ts'
import { EXIT, wrongUsage } from '../failure.ts'
import { tableLines } from '../output.ts'
import { wholeNumber } from '../read-values.ts'
import type { Json, Server } from '../server.ts'

const PATH = '/operator/parked_messages'
const MOST = 1_000

const rowOf = ({ message_id, stream, sequence, bytes, received_at, reason }: Json): string[] => [
  message_id,
  stream,
  String(sequence),
  String(bytes),
  received_at,
  reason,
]

/** Lists parked messages with their reasons. */
export const runListParked: RunCommand = async ({ options }, { out, server }) => {
  const most = wholeNumber('max-results', options['max-results'] as string, 1, MOST)
  const { data, meta } = await server.operator('GET', PATH, { query: { max_results: String(most) } })
  out.show({ data, meta }, () =>
    data.length === 0
      ? ['No message is parked.']
      : tableLines(['message', 'stream', 'sequence', 'bytes', 'received', 'reason'], data.map(rowOf)),
  )
  return EXIT.done
}

/** Prints what a parked message holds. */
export const runShowParked: RunCommand = async ({ positionals: [id] }, { out, server }) => {
  const { data } = await server.operator('GET', `${PATH}/${encodeURIComponent(id!)}`)
  out.note(`${data.stream} ${data.sequence}, ${data.subject}: ${data.reason}`)
  out.show({ data }, () => [data.content])
  return EXIT.done
}

/** There are at most so many that one page has them all. */
const allOf = async (server: Server): Promise<string[]> =>
  (await server.operator('GET', PATH, { query: { max_results: String(MOST) } })).data.map(({ message_id }: Json) => message_id)

/** Discards parked messages. */
export const runDiscardParked: RunCommand = async ({ positionals, options: { all } }, { out, server }) => {
  if (all ? positionals.length > 0 : positionals.length === 0) throw wrongUsage('Name the messages, or --all.')
  const ids = all ? await allOf(server) : positionals
  if (all && ids.length > 0 && !(await confirm(`This discards ${ids.length} messages.`))) {
    out.note('Nothing was discarded.')
    return EXIT.refused
  }
  for (const id of ids) await server.operator('DELETE', `${PATH}/${encodeURIComponent(id)}`)
  out.show({ data: { discarded: ids.length } }, () => [`${ids.length} discarded`])
  return EXIT.done
}
