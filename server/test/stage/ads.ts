import assert from 'node:assert/strict'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import type { Long } from '../../src/lib/numbers.ts'
import { type Answer, call } from './call.ts'
import { authorization, type SigningCredentials } from './oauth-client.ts'
import { demoApp, type Stage } from './postern.ts'
import { ada, grace } from './sign-in.ts'
import { adas, signedInSeed } from './signed-calls.ts'

export const ACCOUNT = '18ce54d4x5t'
export const FUNDING = 'lygyi'

/** An app with access to the advertising API, and an account of Ada's with a funding instrument on the production host. */
export const adsSeed = {
  ...signedInSeed,
  apps: signedInSeed.apps?.map((app) => ({ ...app, ads_access: app.consumer_key === demoApp.consumer_key })),
  accounts: [
    {
      id: ACCOUNT,
      name: 'Demo ads',
      members: [
        { user_id: ada.id, role: 'ACCOUNT_ADMIN' },
        { user_id: grace.id, role: 'ANALYST' },
      ],
      funding_instruments: [{ id: FUNDING, type: 'CREDIT_CARD', currency: 'USD' }],
    },
  ],
} as object as SeedDocument

export type AdsParams = Record<string, string | Long | boolean | readonly (string | number)[]>

const asText = (params: AdsParams) =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, Array.isArray(value) ? value.join() : String(value)]))

/** Calls an advertising host in the name of a user: parameters in the query of GET and DELETE, else in a form. */
export type AdsCall = (method: string, path: string, params?: AdsParams) => Promise<Answer>

export function adsCaller(stage: Stage, host: 'production' | 'sandbox' = 'production', credentials: SigningCredentials = adas): AdsCall {
  const member = host === 'sandbox' ? 'ads_sandbox_base_url' : 'ads_base_url'
  return (method, path, params = {}) => {
    const form = method === 'GET' || method === 'DELETE' ? undefined : asText(params)
    const query = form ? '' : new URLSearchParams(asText(params)).toString()
    const target = `${path}${query && `?${query}`}`
    const url = stage.publicOrigins[member] + target
    return call(stage.origins[member] + target, method, {
      headers: {
        authorization: authorization({ ...credentials, method, url, form, nowMs: stage.clock.now() }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: form && new URLSearchParams(form).toString(),
    })
  }
}

/** The data of an answer that must be a success. */
export function dataOf({ status, body, text }: Answer) {
  assert.equal(status, 200, text)
  return body.data
}

/** The codes of a refusal, with the parameter or attribute that each is about. */
export const mistakesOf = ({ status, body }: Answer): unknown[] => [
  status,
  ...(body.errors ?? []).map(({ code, parameter, attribute }: Record<string, string>) =>
    [code, parameter ?? attribute].filter(Boolean).join(' '),
  ),
]
