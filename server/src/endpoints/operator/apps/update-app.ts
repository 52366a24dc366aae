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
import { clientChanges } from './oauth2-client.ts'

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

const clientRotation = object(
  { oauth2_client_secret: optional(newSecret('The new secret. Default: a generated one.')) },
  { description: 'Give the confidential OAuth 2.0 client a new secret. The current one is invalid at once; tokens stay valid.' },
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

const noSuchApp = (id: string) => new Problem('not-found', { detail: `There is no app ${id}.` })

export const updateApp = endpoint({
  name: 'updateApp',
  route: 'PATCH /operator/apps/:app_id',
  section: '§5',
  summary: 'Change the settings of an app, suspend it, or rotate its secrets.',
  description:
    'Omitted fields keep their value. During the overlap of a rotation, both secrets authenticate the app and pass a challenge; events are signed with the old one until the callback has answered a challenge with the new one. Any older secret is invalid. A client of OAuth 2.0 that becomes public loses its secret; one that becomes confidential gets one. A bearer token ends with the oldest secret that it was given to: without an overlap at once. All requests of a suspended app are rejected from the next one on and it receives no more deliveries, though a POST in flight may finish; its events are kept for replay.',
  auth: operator,
  params: {
    app_id: id({ example: '1' }),
    ...optionals(appSettings),
    rotate_secret: optional(rotation),
    rotate_oauth2_client_secret: optional(clientRotation),
  },
  answer: object({
    data: object({
      ...appMembers,
      consumer_secret: optional(text({ description: 'The new secret if it was generated. It is shown only in this response.' })),
      oauth2_client_secret: optional(text({ description: 'The same of the OAuth 2.0 client.' })),
    }),
  }),
  problems: ['not-found'],
  async handle(
    { params: { app_id, rotate_secret, rotate_oauth2_client_secret, ...settings } },
    { apps, now, refusesWeakSecrets }: Services,
  ) {
    if (refusesWeakSecrets)
      assertNoErrors([
        ...weakCredentials(rotate_secret ?? {}, 'rotate_secret'),
        ...weakCredentials(rotate_oauth2_client_secret ?? {}, 'rotate_oauth2_client_secret'),
      ])
    const overlap = overlapMs(rotate_secret?.overlap)
    const made = rotate_secret && rotate_secret.consumer_secret === undefined ? newConsumerSecret() : undefined
    const secret = rotate_secret?.consumer_secret ?? made
    const rotation = secret === undefined ? undefined : { secret, previousUntilMs: overlap === 0 ? null : now() + overlap }
    const before = await apps.byId(app_id)
    if (!before) throw noSuchApp(app_id)
    const client = clientChanges(before, settings.oauth2_client_type, rotate_oauth2_client_secret)
    const app = await apps.update(app_id, { ...changesOf(settings), ...client.changes }, rotation)
    if (!app) throw noSuchApp(app_id)
    const secrets = {
      ...(made !== undefined && { consumer_secret: made }),
      ...(client.made !== undefined && { oauth2_client_secret: client.made }),
    }
    return { data: { ...appView(app, now()), ...secrets } }
  },
})
