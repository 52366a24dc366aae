import type { Page, Redirect } from '../../api/answer/page.ts'
import { randomDigits, randomUrlText } from '../../lib/crypto.ts'
import { type App, type AppPermissions, type AppStore, permits } from '../../storage/apps.ts'
import type { RequestToken, RequestTokenStore } from '../../storage/request-tokens.ts'
import type { UserTokenStore } from '../../storage/user-tokens.ts'
import type { User } from '../../storage/users.ts'
import { cannotAskPage, deniedPage, invalidTokenPage, pinPage } from './approval-page.ts'
import type { ApprovalRequest } from './approval-request.ts'
import { howToAdd, notRegistered, OUT_OF_BAND, redirectUrl, sayRegistered } from './callbacks.ts'

const PIN_DIGITS = 7
const VERIFIER_BYTES = 24

/** What an app asks for with a permission, and what is not asked for, in plain words. */
export const permissionWords: Record<AppPermissions, { asked: string[]; not: string[] }> = {
  read: {
    asked: ['See your profile and your posts', 'See whom you follow'],
    not: ['Post, follow or change your profile for you', 'See or send your direct messages', 'See your password'],
  },
  read_write: {
    asked: ['See your profile and your posts', 'See whom you follow', 'Post, follow and change your profile for you'],
    not: ['See or send your direct messages', 'See your password'],
  },
  read_write_dm: {
    asked: [
      'See your profile and your posts',
      'See whom you follow',
      'Post, follow and change your profile for you',
      'See, send and delete your direct messages',
    ],
    not: ['See your password'],
  },
}

export interface ApprovalServices {
  apps: AppStore
  requestTokens: RequestTokenStore
  userTokens: UserTokenStore
  now: () => number
}

/** A request token that may be allowed or denied, and its app. */
interface Asked {
  asked: RequestToken
  app: App
}

/** Its permission may be less by now than when it asked. */
const mayAsk = ({ suspended, permissions }: App, { access }: RequestToken) => !suspended && permits(permissions, access)

/** Grants what is asked, once, and leads back to the app. Undefined, and nothing is granted, if the user may not sign in any more. */
async function grant(
  { asked, app }: Asked,
  user: User,
  { requestTokens, now }: ApprovalServices,
  cookie?: string,
): Promise<Page | Redirect | undefined> {
  const isOutOfBand = asked.callback === OUT_OF_BAND
  const verifier = isOutOfBand ? randomDigits(PIN_DIGITS) : randomUrlText(VERIFIER_BYTES)
  if (!(await requestTokens.grant(asked.token, user, verifier, now()))) {
    const isPending = (await requestTokens.find(asked.token, now()))?.granted === false
    return isPending ? undefined : { ...invalidTokenPage(), cookie }
  }
  if (isOutOfBand) return pinPage(app, verifier, cookie)
  return { location: redirectUrl(asked.callback, { oauth_token: asked.token, oauth_verifier: verifier }), cookie }
}

async function deny({ asked, app }: Asked, { requestTokens, now }: ApprovalServices): Promise<Page | Redirect> {
  if (!(await requestTokens.deny(asked.token, now()))) return invalidTokenPage()
  return asked.callback === OUT_OF_BAND ? deniedPage(app) : { location: redirectUrl(asked.callback, { denied: asked.token }) }
}

/** What is asked with a request token of OAuth 1.0a. */
export interface TokenRequest extends ApprovalRequest {
  /** Whether the user has granted the app at least as much before. */
  isGranted(user: User): Promise<boolean>
}

/** How the page and the form name a request token. */
export const namedByToken = (token: string) => ({ path: '/oauth/authorize', fields: { oauth_token: token } })

/** Why nothing can be asked with a request token that was found, or was not. */
function whyNot(token: string | undefined, asked: RequestToken | undefined, app: App | undefined): string {
  if (!token) return 'oauth_token is missing from the URL of the page.'
  if (!asked) return 'There is no such request token: it was exchanged or denied, is older than 15 minutes, or never existed.'
  if (asked.granted) return 'The request token was allowed before. The app exchanges it at /oauth/access_token.'
  if (!app || app.suspended) return 'The app of the request token is suspended.'
  return `The app may no longer ask for ${asked.access}: its permission is ${app.permissions} now.`
}

/** The callback may have been removed from the app since it asked: then neither verifier nor denial goes there (§4.3). */
const isCallbackOf = ({ callbackUrls }: App, { callback }: RequestToken) => callback === OUT_OF_BAND || callbackUrls.includes(callback)

const formerCallbackPage = ({ id, callbackUrls }: App, { callback }: RequestToken): Page =>
  cannotAskPage('The callback of this request is no longer one of the callback URLs of the app.', {
    reason: notRegistered('oauth_callback', callback),
    more: () => [sayRegistered(callbackUrls), howToAdd(id, callbackUrls, callback)],
  })

/**
 * What is asked with a request token; a page when it was used or decided, has expired, never was, or its app may not ask for it or has
 * another callback now.
 */
export async function findAsked(token: string | undefined, services: ApprovalServices): Promise<TokenRequest | { refusal: Page }> {
  const { apps, requestTokens, userTokens, now } = services
  const asked = token ? await requestTokens.find(token, now()) : undefined
  const app = asked && !asked.granted ? await apps.byId(asked.appId) : undefined
  if (!asked || !app || !mayAsk(app, asked)) return { refusal: invalidTokenPage(whyNot(token, asked, app)) }
  if (!isCallbackOf(app, asked)) return { refusal: formerCallbackPage(app, asked) }
  return {
    app,
    callback: asked.callback,
    ...permissionWords[asked.access],
    ...namedByToken(asked.token),
    allow: (user, cookie) => grant({ asked, app }, user, services, cookie),
    deny: () => deny({ asked, app }, services),
    async isGranted(user) {
      const granted = await userTokens.granted(app.id, user.id)
      return granted.some((access) => permits(access, asked.access))
    },
  }
}
