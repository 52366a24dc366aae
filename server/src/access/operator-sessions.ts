import { parseCookie } from 'cookie'
import { Problem } from '../api/declare/problem.ts'
import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'
import { equalInConstantTime, sha256Hex } from '../lib/crypto.ts'
import { type Seal, SealError } from '../lib/seal.ts'
import { HOUR_MS } from '../lib/time.ts'
import { type ClientOrigin, isOwnOrigin, isShownTo } from './client-origin.ts'
import type { Operator, OperatorToken } from './operator-of.ts'
import { PORTAL_LIFETIME_MS, type PortalClaim } from './portals.ts'

/** The session of an operator in a browser. */
export interface OperatorSession {
  operator: Operator
  untilMs: number
}

/** Sessions of the console: a cookie that holds, sealed, which operator token or which app's portal began it. No process keeps anything of them. */
export interface OperatorSessions {
  /** The session that the cookie of a request has; undefined for none, an expired one, and one whose token is no longer configured. */
  of(request: RawRequest): OperatorSession | undefined
  /** Begins a session with the token that a request carries, which was found valid. Answers it with the header that sets its cookie. */
  begin(request: RawRequest, token: string, client: ClientOrigin): OperatorSession & { setCookie: string }
  /** The same without a token, for a browser of this machine. */
  beginHere(request: RawRequest, client: ClientOrigin): OperatorSession & { setCookie: string }
  /** What the cookie of a request claims, where it is that of a portal. Whether it still holds is for `Portals` to say. */
  portalOf(request: RawRequest): PortalClaim | undefined
  /** The header that sets the cookie of a portal's session. */
  beginPortal(request: RawRequest, claim: PortalClaim, client: ClientOrigin): string
  /** The header that removes the cookie. */
  end(request: RawRequest): string
}

interface Options {
  seal: Seal
  tokens: readonly OperatorToken[]
  /** The time of the machine: a clock that a test moves must not end the session of whoever moves it. */
  machineNow: () => number
  /** Whether sessions without a token are taken: in development. */
  takesHere: boolean
}

/** What the cookie of an operator says, sealed. That of a portal says what `PortalClaim` has. */
interface Content {
  /** The hash of the token; `HERE` without one. */
  of: string
  untilMs: number
}

const LIFETIME_MS = 12 * HOUR_MS
const PURPOSE = 'console.session'
const HERE = 'this machine'

/** Without a token whoever uses this machine is the operator, as with the one that development makes. */
const operatorHere: Operator = { name: null, role: 'operate' }

/** Browsers send the cookies of a host to all its ports: two servers on this machine need two names. */
const cookieName = (request: RawRequest) => {
  const port = /:(\d+)$/.exec(headerOf(request, 'host') ?? '')?.[1]
  return port === undefined ? 'postern_operator' : `postern_operator_${port}`
}

/**
 * Without `Path`: the browser takes the folder of the endpoint that sets it, `/operator`, below whatever prefix a proxy gives it.
 */
const cookie = (request: RawRequest, value: string, seconds: number, isHttps: boolean) =>
  `${cookieName(request)}=${value}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isHttps ? '; Secure' : ''}`

export function createOperatorSessions({ seal, tokens, machineNow, takesHere }: Options): OperatorSessions {
  const known = tokens.map(({ token, name, role }) => ({ hash: sha256Hex(token), operator: { name, role } }))

  const operatorOf = (of: string): Operator | undefined =>
    takesHere && of === HERE ? operatorHere : known.filter(({ hash }) => equalInConstantTime(hash, of))[0]?.operator

  const contentOf = (request: RawRequest): Content | PortalClaim | undefined => {
    const value = parseCookie(headerOf(request, 'cookie') ?? '', { decode: (text) => text })[cookieName(request)]
    if (value === undefined) return undefined
    try {
      return JSON.parse(seal.open(PURPOSE, value))
    } catch (error) {
      if (error instanceof SealError) return undefined
      throw error
    }
  }

  const sealedCookie = (request: RawRequest, content: Content | PortalClaim, lifetimeMs: number, { scheme }: ClientOrigin) => {
    // Base64 as a cookie may have it; Node reads either alphabet.
    const value = Buffer.from(seal.seal(PURPOSE, JSON.stringify(content)), 'base64').toString('base64url')
    return cookie(request, value, lifetimeMs / 1000, scheme === 'https')
  }

  const begin = (request: RawRequest, of: string, operator: Operator, client: ClientOrigin) => {
    const content = { of, untilMs: machineNow() + LIFETIME_MS }
    return { operator, untilMs: content.untilMs, setCookie: sealedCookie(request, content, LIFETIME_MS, client) }
  }

  return {
    of(request) {
      const content = contentOf(request)
      if (!content || !('of' in content) || content.untilMs <= machineNow()) return undefined
      const operator = operatorOf(content.of)
      return operator && { operator, untilMs: content.untilMs }
    },
    begin: (request, token, client) => begin(request, sha256Hex(token), operatorOf(sha256Hex(token))!, client),
    beginHere: (request, client) => begin(request, HERE, operatorHere, client),
    portalOf(request) {
      const content = contentOf(request)
      return content && 'app' in content ? content : undefined
    },
    beginPortal: (request, claim, client) => sealedCookie(request, claim, PORTAL_LIFETIME_MS, client),
    end: (request) => cookie(request, '', 0, false),
  }
}

/** The header that the console sends with every call: no form and no link can, and a script of another origin must ask first. */
export const CONSOLE_HEADER = 'x-postern-console'

/** Whether the page that makes a call is of this server, as the browser says: by Sec-Fetch-Site, or without TLS by Origin. */
function isOfThisServer(request: RawRequest, client: ClientOrigin): boolean {
  const site = headerOf(request, 'sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  const origin = headerOf(request, 'origin')
  if (origin === undefined) return request.method === 'GET' || request.method === 'HEAD'
  return isOwnOrigin(origin, request, client)
}

const ELSE = 'Programs send `Authorization: Bearer <operator token>` instead.'

const notFromConsole = (why: string) => new Problem('forbidden', { detail: `${why} ${ELSE}` })

/** Throws `forbidden` unless the console of this server makes a call. A browser adds the cookie whoever makes it (CSRF). */
export function assertFromConsole(request: RawRequest, client: ClientOrigin) {
  if (headerOf(request, CONSOLE_HEADER) === undefined)
    throw notFromConsole(`A call with the cookie of the console needs the header ${CONSOLE_HEADER}.`)
  if (!isOfThisServer(request, client))
    throw notFromConsole('A page of another origin makes this call with the cookie of the console, as Origin and Sec-Fetch-Site say.')
}

const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i

/** What a proxy or a tunnel adds. */
const FORWARDING_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

/** Whether a browser of this machine calls: from loopback, by a name of loopback, and not through a tunnel that others may use. */
export const isBrowserHere = (request: RawRequest, client: ClientOrigin): boolean =>
  isShownTo(client) &&
  LOOPBACK_HOST.test(headerOf(request, 'host') ?? '') &&
  FORWARDING_HEADERS.every((name) => headerOf(request, name) === undefined)
