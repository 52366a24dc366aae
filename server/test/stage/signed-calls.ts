import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { type Answer, call } from './call.ts'
import { headerOf, oauthParameters, type SigningCredentials, type ToSign } from './oauth-client.ts'
import { demoApp, otherApp, type Stage } from './postern.ts'
import { ada, grace, signInSeed } from './sign-in.ts'

const keysOf = ({ consumer_key, consumer_secret }: SigningCredentials) => ({ consumer_key, consumer_secret })

const tokenOf = (app: typeof demoApp, { id }: { id: string }, fill: string): Required<SigningCredentials> => ({
  ...keysOf(app),
  oauth_token: `${id}-${fill.repeat(40)}`,
  oauth_token_secret: `secret-${fill}`,
})

/** What three sign-ins have left: two of the demo app, and one of the other app. */
export const adas = tokenOf(demoApp, ada, 'a')
export const graces = tokenOf(demoApp, grace, 'g')
export const othersAdas = tokenOf(otherApp, ada, 'o')

const seedToken = ({ consumer_key, oauth_token, oauth_token_secret }: Required<SigningCredentials>, user: { id: string }) => ({
  consumer_key,
  oauth_token,
  oauth_token_secret,
  user_id: user.id,
})

export const signedInSeed: SeedDocument = {
  ...signInSeed,
  tokens: [seedToken(adas, ada), seedToken(graces, grace), seedToken(othersAdas, ada)],
}

export const VERIFY = '/1.1/account/verify_credentials.json'

/** A request as it is signed, and what of it is sent differently. */
export interface Tampered extends Partial<SigningCredentials> {
  method?: string
  path?: string
  /** Where the client believes it is. */
  origin?: string
  form?: Record<string, string>
  oauth?: Record<string, string>
  nowMs?: number
  /** Changes the parameters of the protocol after they were signed. */
  tamper?: (oauth: Record<string, string>) => Record<string, string>
  sent?: { method?: string; path?: string; form?: Record<string, string>; headers?: Record<string, string>; body?: string }
}

/** Signs a request for Ada, and sends it, or what it was changed to. */
export function sendSigned(stage: Stage, request: Tampered = {}): Promise<Answer> {
  const { method = 'GET', path = VERIFY, origin = stage.publicOrigins.base_url, tamper = (oauth) => oauth, sent = {}, ...more } = request
  const toSign: ToSign = { ...adas, nowMs: stage.clock.now(), ...more, method, url: origin + path }
  const form = sent.form ?? request.form
  return call(stage.origins.base_url + (sent.path ?? path), sent.method ?? method, {
    headers: {
      authorization: headerOf(tamper(oauthParameters(toSign))),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...sent.headers,
    },
    body: form ? new URLSearchParams(form).toString() : sent.body,
  })
}

/** The status of a refusal and its code, which is in the body, or on `/2/` in a header alone. */
export const refusalOf = ({ status, headers, body }: Answer): [status: number, code: number | undefined] => [
  status,
  body?.errors?.[0]?.code ??
    /api_error_code=(\d+)$/
      .exec(headers.get('www-authenticate') ?? '')
      ?.slice(1)
      .map(Number)[0],
]
