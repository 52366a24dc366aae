import type { Auth } from '../api/declare/auth.ts'
import type { RequestToken, RequestTokenStore } from '../storage/request-tokens.ts'
import { clientNetworkOf } from './networks.ts'
import { type SignatureServices, signatureScheme, verify } from './oauth1/verify.ts'
import type { SignedAppCaller } from './signed-app.ts'

export interface RequestTokenCaller extends SignedAppCaller {
  requestToken: RequestToken
}

/** Authenticates an app that signed with one of its request tokens: the last step of a sign-in (§4.3). */
export const signedRequestToken: Auth<RequestTokenCaller, SignatureServices & { requestTokens: RequestTokenStore }> = {
  name: 'signedRequestToken',
  ...signatureScheme('signed with the API key secret and the request token.'),
  async authenticate(request, services) {
    const { app, holder, oauth, client } = await verify(request, services, (token) => services.requestTokens.find(token, services.now()))
    return { app, oauth, requestToken: holder, rateKey: `app:${app.id}:${clientNetworkOf(client.address)}` }
  },
}
