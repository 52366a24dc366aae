import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { boolean, id, listOf, nullable, object, text } from '../../api/declare/words.ts'
import type { Keys } from './keys.ts'

const HIDDEN = 'Null, unless it is a published one of the demo seed that is still valid.'

const appSchema = object({
  id: id(),
  name: text(),
  consumer_key: text(),
  consumer_secret: nullable(text({ description: HIDDEN })),
  oauth2_client_id: nullable(text()),
  oauth2_client_secret: nullable(text({ min: 0, description: HIDDEN })),
})

const personSchema = object({
  id: id(),
  username: text(),
  name: text(),
  password: nullable(text({ description: 'For the approval page. Null, unless it is that of the demo user.' })),
  tokens: listOf(object({ app_id: id(), oauth_token: text(), oauth_token_secret: text() }), {
    description: 'Tokens of the demo seed that are still valid.',
  }),
})

const view = ({ apps, people, hasMorePeople, pastes }: Keys) => ({
  data: {
    apps: apps.map(({ consumerKey, consumerSecret, oauth2ClientId, oauth2ClientSecret, ...app }) => ({
      ...app,
      consumer_key: consumerKey,
      consumer_secret: consumerSecret ?? null,
      oauth2_client_id: oauth2ClientId ?? null,
      oauth2_client_secret: oauth2ClientSecret ?? null,
    })),
    people: people.map(({ password, tokens, ...person }) => ({
      ...person,
      password: password ?? null,
      tokens: tokens.map(({ appId, token, secret }) => ({ app_id: appId, oauth_token: token, oauth_token_secret: secret })),
    })),
    pastes,
  },
  meta: { has_more_people: hasMorePeople },
})

export const getKeys = endpoint({
  name: 'getKeys',
  route: 'GET /operator/keys',
  section: '§6',
  summary: 'Get the keys of apps, people with their tokens, and what to paste first.',
  description:
    'Development only. The first 20 apps and 50 people. Secrets are those of the published demo seed alone: one that was made here is answered once, when it is made. The operator token is never there.',
  auth: operator,
  params: {},
  answer: object({
    data: object({
      apps: listOf(appSchema),
      people: listOf(personSchema),
      pastes: listOf(object({ says: text(), command: text() }), { description: 'Commands for a terminal, with what they do.' }),
    }),
    meta: object({ has_more_people: boolean() }),
  }),
  handle: async (_call, { keys }: { keys: () => Promise<Keys> }) => view(await keys()),
})
