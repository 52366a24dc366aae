import { setTimeout as wait } from 'node:timers/promises'
import type { Context, RunCommand } from '../command.ts'
import { EXIT } from '../failure.ts'
import { tableLines } from '../output.ts'
import { wholeNumber } from '../read-values.ts'
import { type Filter, type RecordedCall, recordedCalls } from './recorded-calls.ts'

const POLL_MS = 250

const HEADINGS = ['at', 'status', 'ms', 'app', 'user', 'call']

const callOf = ({ method, url, refused, fault }: RecordedCall) =>
  [`${method} ${url}`, refused?.reason, fault && `fault ${fault}`].filter(Boolean).join('  ')

const rowOf = (call: RecordedCall) => [
  call.at,
  String(call.status),
  String(call.duration_ms),
  call.app_id ?? '–',
  call.user_id ?? '–',
  callOf(call),
]

/** Shows calls as they come, until the process is stopped. */
async function follow({ out, server }: Context, filter: Filter, after: number): Promise<never> {
  for (let from = after; ; ) {
    const { calls, next } = await recordedCalls(server, filter, from)
    for (const call of calls) out.item(call, () => rowOf(call).join('  '))
    from = next
    await wait(POLL_MS)
  }
}

/** Lists the last calls that the server answered. */
export const runRequests: RunCommand = async ({ options }, context) => {
  const { app, status, path, 'max-results': maxResults } = options as Record<string, string | undefined>
  const { out, server } = context
  const most = wholeNumber('max-results', maxResults!, 0, 1000)
  const filter = { app_id: app, status, path }
  const { calls, next } = await recordedCalls(server, filter)
  const data = most === 0 ? [] : calls.slice(-most)
  if (options.follow) {
    for (const call of data) out.item(call, () => rowOf(call).join('  '))
    return follow(context, filter, next)
  }
  out.show({ data, meta: { next } }, () => (data.length === 0 ? ['There are no such calls.'] : tableLines(HEADINGS, data.map(rowOf))))
  return EXIT.done
}
