import { operator } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { invalidRequest, Problem } from '../../../api/declare/problem.ts'
import { duration, id, object, optional, optionals, text } from '../../../api/declare/words.ts'
import { HOUR_MS, parseDuration } from '../../../lib/time.ts'
import type { AppStore } from '../../../storage/apps.ts'
import { assertNoErrors, newSecret, weakCredentials } from './app-credentials.ts'
import { appSettings, changesOf } from './app-settings.ts'
import { appMembers, appView } from './app-view.ts'
import { newConsumerSecret } from './new-app.ts'

const USUAL_OVERLAP = '24h'
const MAX_OVERLAP_MS = 30 * 24 * HOUR_MS

const rotation = object(
  {
    consumer_secret: optional(newSecret('The new secret. Default: a generated one.')),
    overlap: optional(
      duration({
        example: USUAL_OVERLAP,
        description: `How long the current secret, and the bearer token that it bought, stay valid after the rotation, at most 30d. Default: ${USUAL_OVERLAP}; \`0s\`: not at all.`,
      }),
    ),
  },
  { description: 'Give the app a new consumer secret.' },
)

function overlapMs(overlap = USUAL_OVERLAP): number {
  const ms = parseDuration(overlap)
  if (ms !== undefined && ms <= MAX_OVERLAP_MS) return ms
  throw invalidRequest([{ message: '$.rotate_secret.overlap: must be at most 30d', parameters: { 'rotate_secret.overlap': [overlap] } }])
}

interface Services {
  apps: AppStore
  now: () => number
  /** Refuses a new secret that is a placeholder. */
  refusesWeakSecrets: boolean
}

export const updateApp = endpoint({
  name: 'updateApp',
  route: 'PATCH /operator/apps/:app_id',
  section: '§5',
  summary: 'Change the settings of an app, suspend it, or rotate its consumer secret.',
  description:
    'Omitted fields keep their value. During the overlap of a rotation, both secrets authenticate the app and pass a challenge; events are signed with the old one until the callback has answered a challenge with the new one. Any older secret is invalid. A bearer token ends with the oldest secret that it was given to: without an overlap at once. All requests of a suspended app are rejected from the next one on and it receives no more deliveries, though a POST in flight may finish; its events are kept for replay.',
  auth: operator,
  params: { app_id: id({ example: '1' }), ...optionals(appSettings), rotate_secret: optional(rotation) },
  answer: object({
    data: object({
      ...appMembers,
      consumer_secret: optional(text({ description: 'The new secret if it was generated. It is shown only in this response.' })),
    }),
  }),
  problems: ['not-found'],
  async handle({ params: { app_id, rotate_secret, ...settings } }, { apps, now, refusesWeakSecrets }: Services) {
    if (refusesWeakSecrets && rotate_secret) assertNoErrors(weakCredentials(rotate_secret, 'rotate_secret'))
    const overlap = overlapMs(rotate_secret?.overlap)
    const made = rotate_secret && rotate_secret.consumer_secret === undefined ? newConsumerSecret() : undefined
    const secret = rotate_secret?.consumer_secret ?? made
    const rotation = secret === undefined ? undefined : { secret, previousUntilMs: overlap === 0 ? null : now() + overlap }
    const app = await apps.update(app_id, changesOf(settings), rotation)
    if (!app) throw new Problem('not-found', { detail: `There is no app ${app_id}.` })
    return { data: { ...appView(app, now()), ...(made !== undefined && { consumer_secret: made }) } }
  },
})
