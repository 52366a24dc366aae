import { operator } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { invalidRequest, type Problem } from '../../../api/declare/problem.ts'
import { matching, object, optional, optionals, text } from '../../../api/declare/words.ts'
import type { AppStore } from '../../../storage/apps.ts'
import { assertNoErrors, consumerKey, MIN_LENGTH, newSecret, weakCredentials } from './app-credentials.ts'
import { appSettings } from './app-settings.ts'
import { appMembers, appView } from './app-view.ts'
import { type NewAppServices, newApp } from './new-app.ts'

interface Services extends NewAppServices {
  apps: AppStore
  /** True in production. */
  refusesWeakSecrets: boolean
}

const taken = (name: 'id' | 'consumer_key', value: string): Problem =>
  invalidRequest([{ message: `$.${name}: must be new; another app has it`, parameters: { [name]: [value] } }])

export const createApp = endpoint({
  name: 'createApp',
  route: 'POST /operator/apps',
  section: '§5',
  summary: 'Create an app.',
  description:
    'Missing fields get defaults; a missing key or secret is generated. The secret is shown only in this response, also when it was chosen.',
  auth: operator,
  params: {
    ...optionals(appSettings),
    name: appSettings.name,
    id: optional(matching('^[0-9]{1,19}$', { mustBe: 'a whole number of at most 19 digits', description: 'Default: a generated one.' })),
    consumer_key: optional(consumerKey({ min: MIN_LENGTH, description: 'The API key. Default: a generated one.' })),
    consumer_secret: optional(newSecret('The API key secret. Default: a generated one.')),
  },
  answer: object({ data: object({ ...appMembers, consumer_secret: text({ description: 'It is shown only in this response.' }) }) }),
  example: { name: 'Demo' },
  async handle({ params }, services: Services) {
    const { apps, now, refusesWeakSecrets } = services
    if (refusesWeakSecrets) assertNoErrors(weakCredentials(params))
    const app = newApp(params, services)
    if (!(await apps.insert(app)))
      throw (await apps.byConsumerKey(app.consumerKey)) ? taken('consumer_key', app.consumerKey) : taken('id', app.id)
    return { data: { ...appView(app, now()), consumer_secret: app.consumerSecret } }
  },
})
