import { type ErrorDetail, invalidRequest } from '../../../api/declare/problem.ts'
import { isPlaceholder } from '../../../lib/placeholders.ts'

/** What may be chosen for an app; what is not given is generated. */
export interface ChosenCredentials {
  consumer_key?: string
  consumer_secret?: string
}

/** The minimum length of a chosen key or secret: in production, and of a created app everywhere. */
export const MIN_LENGTH = 16

const GENERATE = 'use a random one (`openssl rand -hex 24`), or leave it out to get a generated one'

function weaknessOf(text: string): string | undefined {
  if (text.length < MIN_LENGTH) return `must have at least ${MIN_LENGTH} characters in production: ${GENERATE}`
  return isPlaceholder(text) ? `is a placeholder, which production refuses: ${GENERATE}` : undefined
}

/** Errors about a key or secret that production refuses: too short, or a placeholder. `path` is where it stands; the value is not repeated. */
export function weakCredentials(chosen: ChosenCredentials, path = ''): ErrorDetail[] {
  return (['consumer_key', 'consumer_secret'] as const).flatMap((name) => {
    const weakness = chosen[name] === undefined ? undefined : weaknessOf(chosen[name])
    const member = path === '' ? name : `${path}.${name}`
    return weakness === undefined ? [] : [{ message: `$.${member}: ${weakness}`, parameters: { [member]: [] } }]
  })
}

/** Throws `invalid-request` with all errors unless there are none. */
export function assertNoneWeak(errors: readonly ErrorDetail[]): void {
  if (errors.length > 0) throw invalidRequest(errors)
}
