import { randomBytes } from 'node:crypto'
import { operator } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { invalidRequest, Problem } from '../../../api/declare/problem.ts'
import { duration, id, object, optional, optionals, text } from '../../../api/declare/words.ts'
import { HOUR_MS, parseDuration } from '../../../lib/time.ts'
import type { AppStore } from '../../../storage/apps.ts'
import { appSettings, changesOf } from './app-settings.ts'
import { appMembers, appView } from './app-view.ts'

const SECRET_BYTES = 36
const USUAL_OVERLAP = '24h'
const LONGEST_OVERLAP_MS = 30 * 24 * HOUR_MS

const rotation = object(
  {
    consumer_secret: optional(text({ min: 16, max: 200, description: 'The new secret; made up when left out.' })),
    overlap: optional(
      duration({
        example: USUAL_OVERLAP,
        description: `A duration, at most 30d: how long the secret that the app has now still holds. ${USUAL_OVERLAP} when left out; \`0s\`: no longer at all.`,
      }),
    ),
  },
  { description: 'Gives the app a new consumer secret.' },
)

function overlapMs(overlap = USUAL_OVERLAP): number {
  const ms = parseDuration(overlap)
  if (ms !== undefined && ms <= LONGEST_OVERLAP_MS) return ms
  throw invalidRequest([{ message: '$.rotate_secret.overlap: must be at most 30d', parameters: { 'rotate_secret.overlap': [overlap] } }])
}

export const updateApp = endpoint({
  name: 'updateApp',
  route: 'PATCH /operator/apps/:app_id',
  section: '§5',
  summary: 'Change the settings of an app, suspend it, or rotate its consumer secret.',
  description:
    'What is left out stays as it is. While the overlap of a rotation lasts, both secrets authenticate the app and both pass a challenge; events are signed with the former one until the callback has answered a challenge with the new one. A secret before the former one holds no longer. A suspended app is refused from its next request on and receives nothing more, though a POST in flight may finish; its events are kept for replay.',
  auth: operator,
  params: { app_id: id({ example: '1' }), ...optionals(appSettings), rotate_secret: optional(rotation) },
  answer: object({
    data: object({
      ...appMembers,
      consumer_secret: optional(text({ description: 'The new secret, shown this once, when it was made up.' })),
    }),
  }),
  problems: ['not-found'],
  async handle({ params: { app_id, rotate_secret, ...settings } }, { apps, now }: { apps: AppStore; now: () => number }) {
    const untilMs = now() + overlapMs(rotate_secret?.overlap)
    const made = rotate_secret && rotate_secret.consumer_secret === undefined ? randomBytes(SECRET_BYTES).toString('base64url') : undefined
    const secret = rotate_secret?.consumer_secret ?? made
    const rotation = secret === undefined ? undefined : { secret, previousUntilMs: untilMs }
    const app = await apps.update(app_id, changesOf(settings), rotation)
    if (!app) throw new Problem('not-found', { detail: `There is no app ${app_id}.` })
    return { data: { ...appView(app, now()), ...(made !== undefined && { consumer_secret: made }) } }
  },
})
