import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { ACCOUNT, adsSeed } from './ads.ts'
import { type Answer, call } from './call.ts'
import { authorization, type SigningCredentials } from './oauth-client.ts'
import type { Stage } from './postern.ts'
import { ada, grace } from './sign-in.ts'
import { adas } from './signed-calls.ts'

export const AUDIENCES = `/12/accounts/${ACCOUNT}/custom_audiences`
export const LISTS = `/12/accounts/${ACCOUNT}/do_not_reach_lists`

export const sha = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Users with one email address each, of these numbers. */
export const usersFrom = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ email: [sha(`user${from + index}@example.com`)] }))

/** An operation of a batch. */
export const operation = (operation_type: string, params: object) => ({ operation_type, params })
export const update = (users: object[], times: object = {}) => operation('Update', { ...times, users })
export const remove = (users: object[], times: object = {}) => operation('Delete', { ...times, users })

interface Sent {
  credentials?: SigningCredentials
  contentType?: string
  host?: 'ads_base_url' | 'ads_sandbox_base_url'
}

/** Sends a body to an advertising host: a text or bytes as they are, anything else as JSON. */
export function sendBody(
  stage: Stage,
  path: string,
  body: unknown,
  { credentials = adas, contentType = 'application/json', host = 'ads_base_url' }: Sent = {},
): Promise<Answer> {
  const url = stage.publicOrigins[host] + path
  return call(stage.origins[host] + path, 'POST', {
    headers: {
      authorization: authorization({ ...credentials, method: 'POST', url, nowMs: stage.clock.now() }),
      'content-type': contentType,
    },
    body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  })
}

/** Ada's account of the usual seed with these audiences and more, and what else a test needs. */
export const seedWithAudiences = (
  custom_audiences: object[] = [{ id: 'a1', name: 'Customers' }],
  more: object = {},
  others: object[] = [],
) =>
  ({
    ...adsSeed,
    accounts: [
      ...(adsSeed.accounts ?? []).map((account) => (account.id === ACCOUNT ? { ...account, custom_audiences, ...more } : account)),
      ...others,
    ],
  }) as typeof adsSeed

/** Accounts for sharing: `same` is of the business of Ada's account when that has the business `b1`, `other` is of another one. Both are Grace's. */
export const otherAccounts = [
  { id: 'same', name: 'Same', business_id: 'b1', members: [{ user_id: grace.id, role: 'ACCOUNT_ADMIN' }] },
  {
    id: 'other',
    name: 'Other',
    business_id: 'b2',
    members: [
      { user_id: grace.id, role: 'ACCOUNT_ADMIN' },
      { user_id: ada.id, role: 'ANALYST' },
    ],
  },
]

/** The errors of operations, each as its index, code and parameter. */
export function operationErrorsOf({ status, body, text }: Answer): unknown[] {
  assert.ok(Array.isArray(body.operation_errors), text)
  const errors = (body.operation_errors as { code: string; parameter: string }[][]).flatMap((found, index) =>
    found.map(({ code, parameter }) => `${index} ${code} ${parameter}`),
  )
  return [status, ...errors]
}
