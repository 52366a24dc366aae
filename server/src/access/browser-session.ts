import { parseCookie } from 'cookie'
import type { Auth, Caller } from '../api/declare/auth.ts'
import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'
import { equalInConstantTime, randomUrlText, sha256 } from '../lib/crypto.ts'
import type { SessionStore } from '../storage/sessions.ts'
import type { User } from '../storage/users.ts'
import type { ClientOrigin, ClientOriginOf } from './client-origin.ts'
import { customerOf } from './networks.ts'
import { assertHttps } from './oauth1/verify.ts'

/** Somebody at the approval page. */
export interface BrowserCaller extends Caller {
  client: ClientOrigin
  /** The value of the session cookie that was sent, if it could be one of ours. */
  cookie: string | undefined
  /** Who is signed in. */
  user: User | undefined
}

export interface BrowserServices {
  sessions: SessionStore
  originOf: ClientOriginOf
  requireHttps: boolean
  now: () => number
}

const COOKIE_BYTES = 32
const COOKIE_VALUE = /^[\w-]{43}$/

/** With https a name that no other host of the domain can set. */
const nameOf = ({ scheme }: ClientOrigin) => (scheme === 'https' ? '__Host-postern_session' : 'postern_session')

function cookieOf(request: RawRequest, client: ClientOrigin): string | undefined {
  const name = nameOf(client)
  const value = parseCookie(headerOf(request, 'cookie') ?? '', { decode: (text) => text })[name] ?? ''
  return COOKIE_VALUE.test(value) ? value : undefined
}

/** A value for the session cookie: that of nobody, until a session is made with it. */
export const newCookie = (): string => randomUrlText(COOKIE_BYTES)

/** The header that sets the session cookie: for this host alone, out of reach of scripts, not sent with forms of other sites. */
export const setCookie = (client: ClientOrigin, value: string): string =>
  `${nameOf(client)}=${value}; Path=/; HttpOnly; SameSite=Lax${client.scheme === 'https' ? '; Secure' : ''}`

/** What a form carries to prove that it was made for this browser and this request token: nobody knows it who does not know the cookie. */
export const formProof = (cookie: string, requestToken: string): string =>
  sha256(JSON.stringify(['approval form', cookie, requestToken])).toString('base64url')

/** Whether a form was made for this browser and this request token. */
export const isProven = (cookie: string | undefined, requestToken: string, proof: string): boolean =>
  cookie !== undefined && equalInConstantTime(formProof(cookie, requestToken), proof)

/** A browser, with whoever is signed in there. */
export const browser: Auth<BrowserCaller, BrowserServices> = {
  name: null,
  async authenticate(request, { sessions, originOf, requireHttps, now }) {
    const client = originOf(request)
    assertHttps(client, requireHttps)
    const cookie = cookieOf(request, client)
    const user = cookie === undefined ? undefined : await sessions.userOf(cookie, now())
    return { client, cookie, user, rateKey: `address:${customerOf(client.address)}` }
  },
}
