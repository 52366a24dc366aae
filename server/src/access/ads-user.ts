import type { Auth } from '../api/declare/auth.ts'
import { adsProblem } from '../api/declare/problem.ts'
import type { RawRequest } from '../api/declare/raw-request.ts'
import type { UserTokenStore } from '../storage/user-tokens.ts'
import { attachCaller } from './attach-caller.ts'
import type { SignatureServices } from './oauth1/verify.ts'
import { type SignedUserCaller, signedUser } from './signed-user.ts'

export type AdsServices = SignatureServices & {
  userTokens: UserTokenStore
  /** The called host, `production` or `sandbox`. Each has its own data and rate limits. */
  adsHost: string
}

/** A user who calls an advertising host. */
export interface AdsCaller extends SignedUserCaller {
  adsHost: string
}

const NO_ACCESS = 'The client application making this request does not have access to this API'

/** A signature needs none. */
const NO_SCOPES = { scopes: [] }

const onlyReads = ({ method }: RawRequest) => method === 'GET' || method === 'HEAD'

function assertAdsAccess(request: RawRequest, { app, access }: SignedUserCaller) {
  if (!app.adsAccess) throw adsProblem('UNAUTHORIZED_CLIENT_APPLICATION', NO_ACCESS)
  if (!onlyReads(request) && (access === 'read' || app.permissions === 'read'))
    throw adsProblem('READONLY_CLIENT_APPLICATION', 'The client application making this request, or its access token, may only read')
}

/** Authenticates a user, on whose behalf an app with access to the advertising API calls. */
export async function asAdsUser(request: RawRequest, services: AdsServices): Promise<AdsCaller> {
  const signed = await signedUser.authenticate(request, services, NO_SCOPES)
  const { adsHost } = services
  const caller = { ...signed, adsHost, rateKey: `${adsHost}:${signed.rateKey}` }
  await attachCaller(caller, () => assertAdsAccess(request, caller))
  return caller
}

/** Throws unless the app has this early access. */
export function assertEarlyAccess({ app }: SignedUserCaller, to: string) {
  if (!app.earlyAccess.includes(to)) throw adsProblem('UNAUTHORIZED_CLIENT_APPLICATION', NO_ACCESS)
}

/** A user of the advertising API (§4.4): OAuth 1.0a, signed with the access token of a user. */
export const adsUser: Auth<AdsCaller, AdsServices> = { ...signedUser, name: 'adsUser', authenticate: asAdsUser }

/** The same for an app with this early access. */
export const earlyAccessUser = (to: string): Auth<AdsCaller, AdsServices> => ({
  ...adsUser,
  async authenticate(request, services) {
    const caller = await asAdsUser(request, services)
    await attachCaller(caller, () => assertEarlyAccess(caller, to))
    return caller
  },
})
