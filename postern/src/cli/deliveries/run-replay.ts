import { setTimeout as wait } from 'node:timers/promises'
import type { RunCommand } from '../command.ts'
import { EXIT, Failure, wrongUsage } from '../failure.ts'
import { timeMs } from '../read-values.ts'
import type { Json, Server } from '../server.ts'
import { serverTimeMs } from './delivery.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const POLL_MS = 200

/** yyyymmddhhmm, in UTC. */
const minuteOf = (ms: number) => new Date(ms).toISOString().replace(/\D/g, '').slice(0, 12)

/**
 * The window; without dates the past 24 hours from their first full minute on, the running minute included. The minute before is the
 * earliest that the server accepts, and may be too early when the call arrives.
 */
async function windowOf(server: Server, from: string | undefined, to: string | undefined) {
  const nowMs = await serverTimeMs(server)
  const thisMinuteMs = nowMs - (nowMs % MINUTE_MS)
  const toMs = to === undefined ? thisMinuteMs + MINUTE_MS : timeMs('--to', to, nowMs)
  const fromMs = from === undefined ? thisMinuteMs - DAY_MS + MINUTE_MS : timeMs('--from', from, nowMs)
  if (fromMs >= toMs) throw wrongUsage('--from must be before --to.')
  return { from_date: minuteOf(fromMs), to_date: minuteOf(toMs) }
}

/** A refusal in the words of the command line: the options, and times as they take them. */
const inOptions = (said: string): string =>
  said
    .replaceAll(/(?:\$\.)?\b(from|to)_date\b/g, '--$1')
    .replaceAll(/(?<= (?:earliest|latest) )(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)\b/g, '$1-$2-$3T$4:$5Z')

async function create(server: Server, json: object): Promise<Json> {
  try {
    return (await server.operator('POST', '/operator/replays', { json })).data
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new Failure(inOptions(error.message), error.exitCode, error.answer)
  }
}

async function ended(server: Server, jobId: string): Promise<Json> {
  for (;;) {
    const { data } = await server.operator('GET', `/operator/replays/${jobId}`)
    if (data.state !== 'running') return data
    await wait(POLL_MS)
  }
}

/** Replays the events of a webhook and waits for the end. */
export const runReplay: RunCommand = async ({ positionals: [webhookId], options }, { out, server }) => {
  const { from, to } = options as Record<string, string | undefined>
  const json = { webhook_id: webhookId, ...(await windowOf(server, from, to)) }
  const created = await create(server, json)
  if (options['no-wait']) {
    out.show({ data: created }, () => [`replay ${created.job_id} of webhook ${webhookId} has begun`])
    return EXIT.done
  }
  const data = await ended(server, created.job_id)
  out.show({ data }, () => [`replay ${created.job_id}: ${data.state}, ${data.delivered} delivered, ${data.failed} failed`])
  return data.state === 'complete' && data.failed === 0 ? EXIT.done : EXIT.refused
}
