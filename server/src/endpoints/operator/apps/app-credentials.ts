import { type ErrorDetail, invalidRequest } from '../../../api/declare/problem.ts'
import { HIDDEN_VALUE } from '../../../api/declare/secret-words.ts'
import { matching, text } from '../../../api/declare/words.ts'
import { isPlaceholder } from '../../../lib/placeholders.ts'

/** What may be chosen for an app; what is not given is generated. */
export interface ChosenCredentials {
  consumer_key?: string
  consumer_secret?: string
  oauth2_client_secret?: string
}

/** The minimum length of a chosen key or secret: in production, and of a created app everywhere. */
export const MIN_LENGTH = 16

const MAX_LENGTH = 200

/** The user name of HTTP Basic ends at the first colon, and clients percent-encode it or not. */
const BASIC_NAME = '^[ -$&-9;-~]*$'

/** A chosen consumer key: one that HTTP Basic (§5.3) can carry. */
export const consumerKey = ({ min, description }: { min?: number; description?: string } = {}) => ({
  ...text({ min, max: MAX_LENGTH, description }),
  ...matching(BASIC_NAME, {
    mustBe: 'printable ASCII without `:` and `%`, so that HTTP Basic can carry it as the user name',
    description,
  }),
})

/** A chosen OAuth 2.0 client id: public, so that it may be short. */
export const clientId = (description?: string) => consumerKey({ description })

/** A chosen secret of a new app or a rotation. */
export const newSecret = (description: string) => text({ min: MIN_LENGTH, max: MAX_LENGTH, description, secret: true })

const GENERATE = 'use a random one (`openssl rand -hex 24`), or leave it out to get a generated one'

function weaknessOf(text: string): string | undefined {
  if (text.length < MIN_LENGTH) return `must have at least ${MIN_LENGTH} characters in production: ${GENERATE}`
  return isPlaceholder(text) ? `is a placeholder, which production refuses: ${GENERATE}` : undefined
}

/** Errors about a key or secret that production refuses: too short, or a placeholder. `path` is where it stands; the value is not repeated. */
export function weakCredentials(chosen: ChosenCredentials, path = ''): ErrorDetail[] {
  return (['consumer_key', 'consumer_secret', 'oauth2_client_secret'] as const).flatMap((name) => {
    const weakness = chosen[name] === undefined ? undefined : weaknessOf(chosen[name])
    const member = path === '' ? name : `${path}.${name}`
    return weakness === undefined ? [] : [{ message: `$.${member}: ${weakness}`, parameters: { [member]: [HIDDEN_VALUE] } }]
  })
}

/** Throws `invalid-request` with all errors unless there are none. */
export function assertNoErrors(errors: readonly ErrorDetail[]): void {
  if (errors.length > 0) throw invalidRequest(errors)
}
