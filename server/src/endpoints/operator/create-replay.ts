import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { id, object } from '../../api/declare/words.ts'
import { replayWindow } from '../webhooks/replay-window.ts'
import { type ReplayServices, replayDates, replayJobCreated, startReplay } from '../webhooks/start-replay.ts'
import { type WebhookServices, webhookOfApp } from './webhook-of-app.ts'

export const createReplay = endpoint({
  name: 'createReplay',
  route: 'POST /operator/replays',
  section: '§2.2',
  summary: "Replay a webhook's events from the past 24 hours on behalf of its app.",
  description: 'The same job, after the same checks, as `POST /2/webhooks/replay` creates. The webhook of a suspended app is refused.',
  auth: operator,
  params: { webhook_id: id(), ...replayDates },
  answer: object({ data: object(replayJobCreated) }),
  problems: ['not-found', 'CrcValidationFailed', 'conflict'],
  async handle({ params: { webhook_id, from_date, to_date } }, services: ReplayServices & WebhookServices) {
    const window = replayWindow(from_date, to_date, services.now())
    const { app, webhook } = await webhookOfApp(services, webhook_id)
    return { data: await startReplay({ app, webhook, createdBy: 'operator', window }, services) }
  },
})
