import { appBearer } from '../../access/app-bearer.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { object, text } from '../../api/declare/words.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import { ownWebhook } from './own-webhook.ts'
import { type ReplayServices, replayDates, replayJobCreated, replayWindow, startReplay } from './start-replay.ts'

interface Services extends ReplayServices {
  webhooks: WebhookStore
}

export const replayWebhook = endpoint({
  name: 'replayWebhook',
  route: 'POST /2/webhooks/replay',
  deprecatedPath: {
    path: '/2/account_activity/replay/webhooks/:webhook_id/subscriptions/all',
    section: '§9',
    // §9 names March 2026 without the day: the last one, by which it surely holds.
    since: '2026-03-31T00:00:00Z',
    // Our choice, a year later: the specification names no end.
    sunset: '2027-03-31T00:00:00Z',
  },
  section: '§4.1',
  summary: "Replay a webhook's events from the past 24 hours.",
  description:
    '`from_date` is inclusive; `to_date` is exclusive and at the latest the next full minute. A webhook that is invalid receives nothing: validate it first with `PUT /2/webhooks/{webhook_id}`, otherwise its replay is refused with `CrcValidationFailed`. A valid one is challenged (CRC) first. One job runs at a time for each webhook. Each event is tried at most twice, live events are delivered meanwhile, and a signed `replay_job_status` event ends the job. In the dialect `x` the response is wrapped in `data`.',
  auth: appBearer,
  rateLimit: 100,
  params: { webhook_id: text({ min: 0, example: '1997712707928100864' }), ...replayDates },
  answer: object(replayJobCreated),
  wrappedInX: true,
  problems: ['WebhookIdInvalid', 'CrcValidationFailed', 'conflict', 'usage-capped'],
  async handle({ params: { webhook_id, from_date, to_date }, caller: { app } }, services: Services) {
    const window = replayWindow(from_date, to_date, services.now())
    const webhook = await ownWebhook(services.webhooks, app, webhook_id)
    return startReplay({ app, webhook, createdBy: 'app', window }, services)
  },
})
