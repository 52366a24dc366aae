import { operator } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { Problem } from '../../../api/declare/problem.ts'
import { id, iso, listOf, object, oneOf, text, timestamp } from '../../../api/declare/words.ts'
import type { AppConsent, Revocations } from '../../../storage/revocations.ts'
import type { UserStore } from '../../../storage/users.ts'
import { operatorPage } from '../operator-page.ts'

const consentSchema = object({
  app_id: id(),
  tokens: listOf(object({ access: oneOf(['read', 'read_write', 'read_write_dm']), granted_at: timestamp() }), {
    description: 'OAuth 1.0a, oldest first.',
  }),
  grants: listOf(object({ scopes: listOf(text()), granted_at: timestamp(), expires_at: timestamp() }), {
    description: 'OAuth 2.0, oldest first: those that have not expired.',
  }),
})

const consentView = ({ appId, tokens, grants }: AppConsent) => ({
  app_id: appId,
  tokens: tokens.map(({ access, createdAtMs }) => ({ access, granted_at: iso(createdAtMs) })),
  grants: grants.map(({ scopes, createdAtMs, untilMs }) => ({
    scopes: [...scopes],
    granted_at: iso(createdAtMs),
    expires_at: iso(untilMs),
  })),
})

/** An app may have several grants of a user. */
const MOST_APPS = 100
const page = operatorPage('after', id, consentSchema, MOST_APPS)

interface Services {
  revocations: Revocations
  users: UserStore
  now: () => number
}

export const listConsents = endpoint({
  name: 'listConsents',
  route: 'GET /operator/users/:user_id/consents',
  section: '§4.3',
  summary: 'List what a user has granted apps, in the order of their ids.',
  description:
    'The access of OAuth 1.0a tokens, the scopes of OAuth 2.0 grants, and since when. `POST /operator/tokens/revoke` with the user and the app ends what an app has. Those of a disabled user are listed too, although they are refused.',
  auth: operator,
  params: { user_id: id({ example: '9' }), ...page.params },
  answer: page.answer,
  problems: ['not-found'],
  async handle({ params: { user_id, after, max_results } }, { revocations, users, now }: Services) {
    if (!(await users.byId(user_id))) throw new Problem('not-found', { detail: `There is no user ${user_id}.` })
    return page.read(max_results, {
      rows: (limit) => revocations.consentsOf(user_id, { after: after ?? null, limit, nowMs: now() }),
      view: consentView,
      placeOf: ({ appId }) => appId,
    })
  },
})
