import type { Auth } from '../api/declare/auth.ts'
import { adsProblem, because } from '../api/declare/problem.ts'
import type { RawRequest } from '../api/declare/raw-request.ts'
import type { App, AppPermissions } from '../storage/apps.ts'
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

function readOnly({ id, permissions }: App, access: AppPermissions) {
  const problem = adsProblem(
    'READONLY_CLIENT_APPLICATION',
    'The client application making this request, or its access token, may only read',
  )
  return because(problem, `The app has the permission ${permissions}, and its access token ${access}; the call writes.`, () => [
    ...(permissions === 'read' ? [`PATCH /operator/apps/${id} with {"permissions": "read_write"} gives the app more.`] : []),
    ...(access === 'read' ? ['Sign the user in again: a token keeps the permission that it was given.'] : []),
  ])
}

function assertAdsAccess(request: RawRequest, { app, access }: SignedUserCaller) {
  if (!app.adsAccess)
    throw because(adsProblem('UNAUTHORIZED_CLIENT_APPLICATION', NO_ACCESS), 'The app has no access to the advertising API.', () => [
      `PATCH /operator/apps/${app.id} with {"ads_access": true} gives it to ${app.name}.`,
    ])
  if (!onlyReads(request) && (access === 'read' || app.permissions === 'read')) throw readOnly(app, access)
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
  if (!app.earlyAccess.includes(to))
    throw because(adsProblem('UNAUTHORIZED_CLIENT_APPLICATION', NO_ACCESS), `The app has no early access to ${to}.`, () => [
      `PATCH /operator/apps/${app.id} with ${JSON.stringify({ early_access: [...app.earlyAccess, to] })} gives it.`,
    ])
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
