import { parseCookie } from 'cookie'
import type { Auth, Caller } from '../api/declare/auth.ts'
import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'
import { equalInConstantTime, randomUrlText, sha256 } from '../lib/crypto.ts'
import type { SessionStore, User } from '../storage/users.ts'
import { type ClientOrigin, type ClientOriginOf, isForeignForm } from './client-origin.ts'
import { clientNetworkOf } from './networks.ts'

/** A browser at the approval page. */
export interface BrowserCaller extends Caller {
  client: ClientOrigin
  /** The value of the session cookie, if it has the right form. */
  cookie: string | undefined
  /** The signed-in user. */
  user: User | undefined
  /** Whether a page of another origin sends the request, as far as the browser says. */
  isForeignForm: boolean
}

export interface BrowserServices {
  sessions: SessionStore
  originOf: ClientOriginOf
  now: () => number
}

const COOKIE_BYTES = 32
const COOKIE_VALUE = /^[\w-]{43}$/

/** With https, a name that other hosts of the domain cannot set. */
const nameOf = ({ scheme }: ClientOrigin) => (scheme === 'https' ? '__Host-postern_session' : 'postern_session')

function cookieOf(request: RawRequest, client: ClientOrigin): string | undefined {
  const name = nameOf(client)
  const value = parseCookie(headerOf(request, 'cookie') ?? '', { decode: (text) => text })[name] ?? ''
  return COOKIE_VALUE.test(value) ? value : undefined
}

/** A new value for the session cookie. It has no session yet. */
export const newCookie = (): string => randomUrlText(COOKIE_BYTES)

/** The header that sets the session cookie: for this host only, HttpOnly, not sent with forms of other sites. */
export const setCookie = (client: ClientOrigin, value: string): string =>
  `${nameOf(client)}=${value}; Path=/; HttpOnly; SameSite=Lax${client.scheme === 'https' ? '; Secure' : ''}`

/** The CSRF token of a form, for this browser and this request token. It cannot be computed without the cookie. */
export const formProof = (cookie: string, requestToken: string): string =>
  sha256(JSON.stringify(['approval form', cookie, requestToken])).toString('base64url')

/** Whether a CSRF token belongs to this browser and this request token. */
export const isProven = (cookie: string | undefined, requestToken: string, proof: string): boolean =>
  cookie !== undefined && equalInConstantTime(formProof(cookie, requestToken), proof)

/** Authenticates a browser by its session cookie. A browser without a session passes, without a user. */
export const browser: Auth<BrowserCaller, BrowserServices> = {
  name: null,
  async authenticate(request, { sessions, originOf, now }) {
    const client = originOf(request)
    const cookie = cookieOf(request, client)
    const user = cookie === undefined ? undefined : await sessions.userOf(cookie, now())
    return { client, cookie, user, isForeignForm: isForeignForm(request, client), rateKey: `address:${clientNetworkOf(client.address)}` }
  },
}
