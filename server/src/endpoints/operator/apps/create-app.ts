import { operator } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { invalidRequest, type Problem } from '../../../api/declare/problem.ts'
import { matching, nullable, object, optional, optionals, text } from '../../../api/declare/words.ts'
import type { App, AppStore } from '../../../storage/apps.ts'
import { assertNoErrors, clientId, consumerKey, MIN_LENGTH, newSecret, weakCredentials } from './app-credentials.ts'
import { appSettings } from './app-settings.ts'
import { appMembers, appView } from './app-view.ts'
import { type NewAppServices, newApp } from './new-app.ts'

interface Services extends NewAppServices {
  apps: AppStore
  /** True in production. */
  refusesWeakSecrets: boolean
}

const taken = (name: 'id' | 'consumer_key' | 'oauth2_client_id', value: string): Problem =>
  invalidRequest([{ message: `$.${name}: must be new; another app has it`, parameters: { [name]: [value] } }])

/** What of an app that could not be inserted another app has. */
async function takenIn({ id, consumerKey, oauth2ClientId }: App, apps: AppStore): Promise<Problem> {
  if (await apps.byConsumerKey(consumerKey)) return taken('consumer_key', consumerKey)
  const isClientTaken = oauth2ClientId !== null && (await apps.byOAuth2ClientId(oauth2ClientId))
  return isClientTaken ? taken('oauth2_client_id', oauth2ClientId) : taken('id', id)
}

export const createApp = endpoint({
  name: 'createApp',
  route: 'POST /operator/apps',
  section: '§5',
  summary: 'Create an app.',
  description:
    'Missing fields get defaults; missing keys, client ids and secrets are generated. Secrets are shown only in this response, also when they were chosen.',
  auth: operator,
  params: {
    ...optionals(appSettings),
    name: appSettings.name,
    id: optional(matching('^[0-9]{1,19}$', { mustBe: 'a whole number of at most 19 digits', description: 'Default: a generated one.' })),
    consumer_key: optional(consumerKey({ min: MIN_LENGTH, description: 'The API key. Default: a generated one.' })),
    consumer_secret: optional(newSecret('The API key secret. Default: a generated one.')),
    oauth2_client_id: optional(clientId('The OAuth 2.0 client id. Default: a generated one.')),
    oauth2_client_secret: optional(newSecret('The secret of a confidential OAuth 2.0 client. Default: a generated one.')),
  },
  answer: object({
    data: object({
      ...appMembers,
      consumer_secret: text({ description: 'It is shown only in this response.' }),
      oauth2_client_secret: nullable(text({ description: 'It is shown only in this response. Null for a public client.' })),
    }),
  }),
  example: { name: 'Demo' },
  async handle({ params }, services: Services) {
    const { apps, now, refusesWeakSecrets } = services
    if (refusesWeakSecrets) assertNoErrors(weakCredentials(params))
    const app = newApp(params, services)
    if (!(await apps.insert(app))) throw await takenIn(app, apps)
    return { data: { ...appView(app, now()), consumer_secret: app.consumerSecret, oauth2_client_secret: app.oauth2ClientSecret } }
  },
})
