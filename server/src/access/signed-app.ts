import type { Auth } from '../api/declare/auth.ts'
import type { RequestToken, RequestTokenStore } from '../storage/request-tokens.ts'
import type { AppCaller } from './app-bearer.ts'
import { clientNetworkOf } from './networks.ts'
import { type SignatureServices, signatureScheme, verify } from './oauth1/verify.ts'

/** An app that signed a request, with the OAuth parameters of the request. */
interface SignedAppCaller extends AppCaller {
  oauth: ReadonlyMap<string, string>
}

/** Authenticates an app that signed with its consumer secret only: the first step of a sign-in (§4.3). */
export const signedApp: Auth<SignedAppCaller, SignatureServices> = {
  name: 'signedApp',
  ...signatureScheme('signed with the API key secret and no token.'),
  async authenticate(request, services) {
    const { app, oauth, client } = await verify(request, services)
    return { app, oauth, rateKey: `app:${app.id}:${clientNetworkOf(client.address)}` }
  },
}

interface RequestTokenCaller extends SignedAppCaller {
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
