import { act, get } from './api.ts'
import type { OperatorAnswers } from './declared.ts'
import { wordsOf } from './parts/state.tsx'
import type { Filter } from './row-filter.ts'
import type { Row } from './rows.ts'

type Resent = OperatorAnswers['POST /operator/deliveries/resend']
type Job = OperatorAnswers['GET /operator/resends/:job_id']

const READ_EVERY_MS = 500

/** How far a resend has come. `refused` says of a webhook why nothing is sent to it. */
export interface Progress {
  done: number
  refused: ReadonlyMap<string, string>
}

/** What is sent again: the parameters of each call. */
export interface Wanted {
  parameters: Record<string, string | undefined>
  /** One call after the other; undefined for what is sent again unless a state is named. */
  states: readonly (string | undefined)[]
}

const DAY_MS = 86_400_000
/** The time of the page is up to a second old. */
const SECOND_MS = 1000
const ENDED = ['given_up', 'not_sent', 'delivered']
const FAILED = ['given_up', 'not_sent']

/** Filters that deliveries cannot be resent by. */
const OTHERS = { user: 'the user', endpoint: 'the endpoint', status: 'the status', attempts: 'the number of attempts' } as const

/** What filters mean for a resend, or in words why they cannot be that. Without times: the last 24 hours. */
export function wantedBy(filter: Filter, now: number): Wanted | string {
  const { kind, app, type, webhook, outcome, from, to } = filter
  const others = Object.entries(OTHERS).flatMap(([name, words]) => (filter[name as keyof typeof OTHERS] === undefined ? [] : [words]))
  if (others.length > 0) return `Deliveries cannot be resent by ${others.join(' and ')}: remove that filter first, or select rows.`
  if (kind !== undefined && kind !== 'delivery') return 'Only deliveries are resent: remove the filter of the kind first.'
  if (outcome !== undefined && !ENDED.includes(outcome))
    return `A delivery that is ${wordsOf(outcome)} has not ended: choose the outcome given up, not sent or delivered, or none.`
  const fromMs = from === undefined ? now - DAY_MS : Date.parse(from)
  const toMs = to === undefined ? now + SECOND_MS : Date.parse(to)
  if (!(fromMs < toMs)) return 'The time from which must lie before the other.'
  const times = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
  return {
    parameters: { app_id: webhook === undefined ? app : undefined, webhook_id: webhook, event_type: type, ...times },
    states: outcome !== undefined ? [outcome] : webhook === undefined ? [undefined] : FAILED,
  }
}

/** What of a filter is resent, in words. */
export const statesInWords = ({ states }: Wanted) =>
  (states[0] === undefined ? FAILED : states).map((state) => wordsOf(state!)).join(' or ')

/** Resends page by page, or counts; tells after each how far it has come. */
export async function* resendPages({ parameters, states }: Wanted, isDryRun: boolean): AsyncGenerator<Progress> {
  let done = 0
  const refused = new Map<string, string>()
  for (const state of states) {
    let after: string | undefined
    do {
      const json = { ...parameters, state, after, ...(isDryRun && { dry_run: true }) }
      const { data, meta } = (await act<Resent>('POST', 'deliveries/resend', json)).body
      done += data.would_resend ?? data.resent
      for (const { webhook_id, refused: why } of data.webhooks ?? []) if (why !== undefined) refused.set(webhook_id, why)
      after = meta.next_after
      yield { done, refused }
    } while (after !== undefined)
  }
}

/** Without a webhook the server does it, as a job. */
export const isJob = ({ parameters }: Wanted) => parameters.webhook_id === undefined

/** Resends by a job of the server, which goes on when this is left; tells every so often how far it has come, until it has ended. */
export async function* resendByJob({ parameters, states }: Wanted, isCancelled: () => boolean): AsyncGenerator<number> {
  let { data } = (await act<Job>('POST', 'resends', { ...parameters, state: states[0] })).body
  const path = `resends/${data.job_id}`
  while (data.state === 'running') {
    yield data.resent
    await new Promise((resolve) => setTimeout(resolve, READ_EVERY_MS))
    data = (await (isCancelled() ? act<Job>('DELETE', path) : get<Job>(path))).body.data
  }
  yield data.resent
  if (data.state === 'incomplete') throw new Error('an error ended the job, which the log of the server has.')
}

/** Resends these deliveries one by one. One that is under way already is not counted; one that is refused is said of its webhook. */
export async function* resendRows(rows: readonly Row[]): AsyncGenerator<Progress & { looked: number }> {
  let done = 0
  const refused = new Map<string, string>()
  for (const [place, { to, webhookId }] of rows.entries()) {
    try {
      const { data } = (await act<Resent>('POST', 'deliveries/resend', { webhook_id: webhookId, event_uuid: String(to[1]) })).body
      done += data.resent
    } catch (error) {
      refused.set(webhookId!, (error as Error).message)
    }
    yield { done, refused, looked: place + 1 }
  }
}
