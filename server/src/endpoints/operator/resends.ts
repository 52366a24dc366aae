import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { id, integer, iso, listOf, nullable, object, oneOf, optional, timestamp } from '../../api/declare/words.ts'
import { canonicalEventType, type EventTypeName, eventTypeNames } from '../../delivery/events/event-types.ts'
import type { JobRunner } from '../../delivery/job-runner.ts'
import type { Ids } from '../../lib/ids.ts'
import type { AppStore } from '../../storage/apps.ts'
import type { ResendJob, ResendJobStore } from '../../storage/resend-jobs.ts'
import { eventTypeName } from '../events/event-type-name.ts'
import { operatorPage } from './operator-page.ts'
import { FAILED } from './resend-deliveries.ts'
import { windowOf, windowTime } from './time-window.ts'

interface Services {
  apps: AppStore
  resendJobs: ResendJobStore
  resendRunner: Pick<JobRunner, 'wake'>
  ids: Ids
  now: () => number
}

const endedState = oneOf(['given_up', 'not_sent', 'delivered'])

const resendSchema = object({
  job_id: id(),
  app_id: nullable(id({ description: 'Only to webhooks of this app; null for those of every app.' })),
  event_type: nullable(oneOf(eventTypeNames, { description: 'Only of events of this type; null for every type.' })),
  states: listOf(endedState, { description: 'How the deliveries had ended.' }),
  from: timestamp(),
  to: timestamp(),
  state: oneOf(['running', 'complete', 'incomplete', 'cancelled'], {
    description: '`complete`: all that match were made due. `incomplete`: an unexpected error ended it, which the log of the server has.',
  }),
  resent: integer({
    min: 0,
    description: 'How many deliveries are sent again so far. A process that is killed may leave out those of its last page.',
  }),
  refused: integer({ min: 0, description: 'How many match that are not: their webhook is invalid, or its app suspended.' }),
  created_at: timestamp(),
  finished_at: nullable(timestamp()),
})

const viewOf = (job: ResendJob) => ({
  job_id: job.id,
  app_id: job.appId,
  event_type: job.eventType as EventTypeName | null,
  states: [...job.states],
  from: iso(job.fromMs),
  to: iso(job.toMs),
  state: job.state,
  resent: job.resent,
  refused: job.refused,
  created_at: iso(job.createdAtMs),
  finished_at: job.finishedAtMs === null ? null : iso(job.finishedAtMs),
})

export const createResend = endpoint({
  name: 'createResend',
  route: 'POST /operator/resends',
  section: '§6',
  summary: 'Send everything again that failed in a time, as a job.',
  description:
    'The deliveries of every webhook, or of an `app_id`, that were given up or not sent, unless `state` names another, of events accepted from `from` (inclusive) to `to` (exclusive, at most now). `POST /operator/deliveries/resend` with `dry_run` and the same parameters counts them first, and says what it means to send one again. The job goes on page by page, after a restart too, or in another process. It waits for the queues, so that live deliveries keep their turns. One runs at a time.',
  auth: operator,
  params: {
    from: windowTime('When the first event was accepted, inclusive.'),
    to: windowTime('When the last event was accepted, exclusive.'),
    app_id: optional(id({ description: 'Only to webhooks of this app.' })),
    event_type: optional(eventTypeName({ description: 'Only of events of this type.' })),
    state: optional(endedState),
  },
  example: { from: '2026-03-01T12:00:00Z', to: '2026-03-01T13:00:00Z' },
  answer: object({ data: resendSchema }),
  problems: ['not-found', 'conflict'],
  async handle({ params: { from, to, app_id, event_type, state } }, { apps, resendJobs, resendRunner, ids, now }: Services) {
    const { fromMs, toMs } = windowOf(from, to)
    if (app_id !== undefined && !(await apps.byId(app_id))) throw new Problem('not-found', { detail: `There is no app ${app_id}.` })
    const nowMs = now()
    const job: ResendJob = {
      id: ids.next(),
      appId: app_id ?? null,
      eventType: event_type === undefined ? null : canonicalEventType(event_type),
      states: state === undefined ? FAILED : [state],
      fromMs,
      // What fails after this is not meant, or a job would resend what it has resent.
      toMs: Math.max(fromMs, Math.min(toMs, nowMs + 1)),
      state: 'running',
      place: null,
      resent: 0,
      refused: 0,
      createdAtMs: nowMs,
      finishedAtMs: null,
    }
    if (!(await resendJobs.create(job)))
      throw new Problem('conflict', {
        detail:
          'A resend job is running: wait for its end, or cancel it with DELETE /operator/resends/:job_id. GET /operator/resends lists it.',
      })
    await resendRunner.wake()
    return { data: viewOf(job) }
  },
})

const page = operatorPage('before', id, resendSchema)

export const listResends = endpoint({
  name: 'listResends',
  route: 'GET /operator/resends',
  section: '§6',
  summary: 'List the resend jobs, newest first.',
  auth: operator,
  params: page.params,
  answer: page.answer,
  handle: ({ params: { before, max_results } }, { resendJobs }: Pick<Services, 'resendJobs'>) =>
    page.read(max_results, {
      rows: (limit) => resendJobs.list(before ?? null, limit),
      view: viewOf,
      placeOf: (job) => job.id,
    }),
})

async function jobOf(resendJobs: ResendJobStore, id: string): Promise<ResendJob> {
  const job = await resendJobs.byId(id)
  if (!job) throw new Problem('not-found', { detail: `There is no resend job ${id}.` })
  return job
}

export const getResend = endpoint({
  name: 'getResend',
  route: 'GET /operator/resends/:job_id',
  section: '§6',
  summary: 'Get the progress of a resend job.',
  auth: operator,
  params: { job_id: id() },
  answer: object({ data: resendSchema }),
  problems: ['not-found'],
  async handle({ params: { job_id } }, { resendJobs }: Pick<Services, 'resendJobs'>) {
    return { data: viewOf(await jobOf(resendJobs, job_id)) }
  },
})

export const cancelResend = endpoint({
  name: 'cancelResend',
  route: 'DELETE /operator/resends/:job_id',
  section: '§6',
  summary: 'Cancel a resend job that is running.',
  description:
    'It ends after the page of at most 1,000 deliveries that it is at. What it has made due is sent. A job that has ended is answered as it is.',
  auth: operator,
  params: { job_id: id() },
  answer: object({ data: resendSchema }),
  problems: ['not-found'],
  async handle({ params: { job_id } }, { resendJobs, now }: Pick<Services, 'resendJobs' | 'now'>) {
    await resendJobs.cancel(job_id, now())
    return { data: viewOf(await jobOf(resendJobs, job_id)) }
  },
})
