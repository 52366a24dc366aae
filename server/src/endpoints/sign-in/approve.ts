import { type BrowserCaller, formProof, newCookie, setCookie } from '../../access/browser-session.ts'
import type { Page, Redirect } from '../../api/answer/page.ts'
import { randomDigits, randomUrlText } from '../../lib/crypto.ts'
import type { App, AppPermissions, AppStore } from '../../storage/apps.ts'
import type { RequestToken, RequestTokenStore } from '../../storage/request-tokens.ts'
import type { UserTokenStore } from '../../storage/user-tokens.ts'
import type { User } from '../../storage/users.ts'
import { type Approval, approvalPage, invalidTokenPage, pinPage } from './approval-page.ts'
import { OUT_OF_BAND, redirectUrl } from './callback-redirect.ts'

const PIN_DIGITS = 7
const VERIFIER_BYTES = 24

export interface ApprovalServices {
  apps: AppStore
  requestTokens: RequestTokenStore
  userTokens: UserTokenStore
  now: () => number
}

/** A request token that may be allowed or denied, and its app. */
export interface Asked {
  asked: RequestToken
  app: App
}

const ranks: Record<AppPermissions, number> = { read: 1, read_write: 2, read_write_dm: 3 }

/** Its permission may be less by now than when it asked. */
const mayAsk = ({ suspended, permissions }: App, { access }: RequestToken) => !suspended && ranks[permissions] >= ranks[access]

/** What is asked with a request token; undefined when it was used or decided, has expired, never was, or its app may not ask for it. */
export async function findAsked(token: string | undefined, { apps, requestTokens, now }: ApprovalServices): Promise<Asked | undefined> {
  const asked = token ? await requestTokens.find(token, now()) : undefined
  const app = asked && !asked.granted ? await apps.byId(asked.appId) : undefined
  return asked && app && mayAsk(app, asked) ? { asked, app } : undefined
}

/** Asks the browser's user. Whoever has no cookie yet gets one, with which the form proves where it was made. */
export function ask(
  caller: BrowserCaller,
  { asked, app }: Asked,
  more: Pick<Approval, 'user' | 'screenName' | 'failure' | 'status' | 'headers'>,
): Page {
  const cookie = caller.cookie ?? newCookie()
  const { token, callback, access } = asked
  return approvalPage({
    ...{ app, token, callback, access, ...more },
    proof: formProof(cookie, token),
    cookie: caller.cookie === undefined ? setCookie(caller.client, cookie) : undefined,
  })
}

/** Grants what is asked, once, and leads back to the app. */
export async function grant(
  { asked, app }: Asked,
  user: User,
  { requestTokens, now }: ApprovalServices,
  cookie?: string,
): Promise<Page | Redirect> {
  const isOutOfBand = asked.callback === OUT_OF_BAND
  const verifier = isOutOfBand ? randomDigits(PIN_DIGITS) : randomUrlText(VERIFIER_BYTES)
  if (!(await requestTokens.grant(asked.token, user.id, verifier, now()))) return { ...invalidTokenPage(), cookie }
  if (isOutOfBand) return pinPage(app, verifier, cookie)
  return { location: redirectUrl(asked.callback, { oauth_token: asked.token, oauth_verifier: verifier }), cookie }
}

/** Whether the user has granted the app at least as much before. */
export async function isGranted({ asked, app }: Asked, user: User, { userTokens }: ApprovalServices): Promise<boolean> {
  const granted = await userTokens.granted(app.id, user.id)
  return granted.some((access) => ranks[access] >= ranks[asked.access])
}
