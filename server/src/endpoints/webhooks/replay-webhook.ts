import { appBearer } from '../../access/app-bearer.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem, webhookProblem } from '../../api/declare/problem.ts'
import { id, iso, matching, object, text, timestamp } from '../../api/declare/words.ts'
import type { Challenger } from '../../delivery/challenge/challenger.ts'
import type { ReplayRunner } from '../../delivery/replay/replay-runner.ts'
import { challengeSecrets } from '../../delivery/signing-secrets.ts'
import type { Ids } from '../../lib/ids.ts'
import type { ReplayJobStore } from '../../storage/replay-jobs.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import { ownWebhook, webhookIdInvalid } from './own-webhook.ts'
import { replayWindow } from './replay-window.ts'

interface Services {
  webhooks: WebhookStore
  replayJobs: ReplayJobStore
  replayRunner: ReplayRunner
  challenger: Challenger
  ids: Ids
  now: () => number
}

const minute = (description: string) =>
  matching('^[0-9]{12}$', { description, example: '202603011200', mustBe: 'a UTC minute like 202603011200 (yyyymmddhhmm)' })

export const replayWebhook = endpoint({
  name: 'replayWebhook',
  route: 'POST /2/webhooks/replay',
  section: '§4.1',
  summary: "Replay a webhook's events from the past 24 hours.",
  description:
    '`from_date` is inclusive; `to_date` is exclusive and at the latest the next full minute. The webhook is challenged (CRC) first; passing does not make an invalid webhook valid again. One job runs at a time for each webhook. Each event is tried at most twice, live events are delivered meanwhile, and a signed `replay_job_status` event ends the job. In the dialect `x` the response is wrapped in `data`.',
  auth: appBearer,
  rateLimit: 100,
  params: {
    webhook_id: text({ min: 0, example: '1997712707928100864' }),
    from_date: minute('UTC, yyyymmddhhmm, inclusive.'),
    to_date: minute('UTC, yyyymmddhhmm, exclusive.'),
  },
  answer: object({ job_id: id(), created_at: timestamp() }),
  wrappedInX: true,
  problems: ['WebhookIdInvalid', 'CrcValidationFailed', 'conflict'],
  async handle({ params: { webhook_id, from_date, to_date }, caller: { app } }, services: Services) {
    const { webhooks, replayJobs, replayRunner, challenger, ids, now } = services
    const window = replayWindow(from_date, to_date, now())
    const webhook = await ownWebhook(webhooks, app, webhook_id)
    const result = await challenger.challenge({ url: webhook.normalUrl, secrets: challengeSecrets(app, now()) })
    if (!result.passed) throw webhookProblem('CrcValidationFailed', result.reason)
    const job = { id: ids.next(), appId: app.id, webhookId: webhook.id, ...window, createdAtMs: now() }
    const fresh = { state: 'running' as const, position: 0, delivered: 0, failed: 0, finishedAtMs: null, reported: false }
    const created = await replayJobs.create({ ...job, ...fresh })
    if (created === 'no-webhook') throw webhookIdInvalid()
    if (created === 'conflict')
      throw new Problem('conflict', {
        detail: 'A replay job of this webhook is in progress; a new one cannot be created until it has ended.',
      })
    await replayRunner.wake()
    return { job_id: job.id, created_at: iso(job.createdAtMs) }
  },
})
