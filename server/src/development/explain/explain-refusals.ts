import { parseCookie } from 'cookie'
import { type ClientOriginOf, isShownTo } from '../../access/client-origin.ts'
import { isSecretWhenSent, SHORTEST_SECRET, secretsInPairs, secretsInText } from '../../access/secret-names.ts'
import { percentDecoded } from '../../access/sent-credentials.ts'
import type { Auth, Caller } from '../../api/declare/auth.ts'
import { codes } from '../../api/declare/codes.ts'
import { type Problem, problemKinds } from '../../api/declare/problem.ts'
import { headerOf, pathOf, type RawRequest } from '../../api/declare/raw-request.ts'
import type { Why } from '../../api/declare/why.ts'
import type { Explain } from '../../api/serve.ts'
import { cutText } from '../../lib/text.ts'
import type { Explanation, Explanations } from './explanations.ts'

type Credentials = Pick<Auth<Caller, never>, 'scheme' | 'anyOf'>

const UNAUTHORIZED = 401
const FORBIDDEN = 403

/** Everything that the credentials of an endpoint are described with. */
const describedBy = ({ scheme, anyOf = [] }: Credentials): string[] =>
  [scheme, ...anyOf.map((each) => each.scheme)].flatMap((each) => (typeof each?.description === 'string' ? [each.description] : []))

/** Which credentials an endpoint takes, as sentences. */
function takes(auth: Credentials): string[] {
  const [first, ...others] = [...new Set(describedBy(auth))]
  if (first === undefined) return []
  return others.length === 0 ? [`This endpoint takes: ${first}`] : ['This endpoint takes one of:', first, ...others]
}

const sayings = ({ members, code, kind }: Problem): string =>
  members.errors?.map(({ message }) => message).join(' ') ??
  members.detail ??
  (code === undefined ? problemKinds[kind].title : codes[code].message)

/** The code of a call without a signature where one is expected. */
const BAD_AUTHENTICATION_DATA = 215

/** The caller sent no credentials, or none that the endpoint takes. */
const isOfCredentials = ({ status, kind, code }: Problem) =>
  status === UNAUTHORIZED || kind === 'unsupported-authentication' || code === BAD_AUTHENTICATION_DATA

/** What the answer itself says, and the right credentials if they are at fault. */
function plainWhy(problem: Problem, auth: Credentials): Why {
  const reason = sayings(problem)
  return isOfCredentials(problem) ? { reason, more: () => takes(auth) } : { reason }
}

/** The reason of a problem, with the credentials that the endpoint takes where the caller sent none that it knows. */
function whyOf(problem: Problem, auth: Credentials): Why {
  const { why } = problem
  if (why === undefined) return plainWhy(problem, auth)
  if (!isOfCredentials(problem) || why.explainUrl !== undefined) return why
  return { reason: why.reason, more: async () => [...((await why.more?.()) ?? []), ...takes(auth)] }
}

const isExplained = (status: number, why: Why | undefined) => status === UNAUTHORIZED || status === FORBIDDEN || why !== undefined

/** Explains a problem that was answered: each 401 and 403, and whatever else has a reason. */
const explainProblem =
  (explain: Explain['refusal']): Explain['problem'] =>
  (answer, request, { problem, auth }) => {
    if (isExplained(answer.status, problem.why)) explain(answer, request, whyOf(problem, auth))
  }

/** The same for a page that says no. */
const explainPage =
  (explain: Explain['refusal']): Explain['page'] =>
  (answer, request, page) => {
    if ('title' in page && isExplained(answer.status, page.why)) explain(answer, request, page.why ?? { reason: `${page.title}.` })
  }

const HIDDEN = '...'

/** What credentials of HTTP Basic say, in the clear. */
function inBasic(value: string): string[] {
  const text = Buffer.from(value, 'base64').toString('utf8')
  const at = text.indexOf(':')
  return at < 0 ? [] : [text.slice(at + 1), percentDecoded(text.slice(at + 1)), text.slice(0, at)]
}

function inAuthorization(header: string): string[] {
  const [scheme = '', value = ''] = header.split(/ +/, 2)
  // From the first letter of a word alone: a long header without pairs would else be read again from each of its letters.
  const pairs = [...header.matchAll(/\b(\w+)="([^"]*)"/g)]
  const quoted = pairs.flatMap(([, name, text]) => (isSecretWhenSent(name!) ? [percentDecoded(text!)] : []))
  return [...(scheme.toLowerCase() === 'basic' ? inBasic(value) : []), value, percentDecoded(value), ...quoted]
}

/** Every text of a request that may be a secret, longest first: one may be part of another. */
function secretsIn(request: RawRequest): string[] {
  const body = request.body?.toString('utf8') ?? ''
  const all = [
    ...inAuthorization(headerOf(request, 'authorization') ?? ''),
    ...Object.values(parseCookie(headerOf(request, 'cookie') ?? '')).map((value) => value ?? ''),
    ...secretsInPairs(request.query),
    ...secretsInText(percentDecoded(request.query)),
    ...secretsInPairs(body),
    ...secretsInText(body),
  ]
  return [...new Set(all)].filter((text) => text.length >= SHORTEST_SECRET).sort((one, other) => other.length - one.length)
}

/** Returns a function that hides in texts whatever a request sent as a secret. */
export function maskOf(request: RawRequest): (text: string) => string {
  const secrets = secretsIn(request)
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text)
}

/** The header with the URL of an explanation. */
export const EXPLAIN_HEADER = 'x-postern-explain'

const MAX_PATH_LENGTH = 500
const MAX_SENTENCE_LENGTH = 1000

interface Refused {
  request: RawRequest
  status: number
  why: Why
  atMs: number
}

/** What was found out beyond the reason; nothing if that failed, as it does while the database is away. */
async function moreOf({ more }: Why): Promise<readonly string[]> {
  try {
    return (await more?.()) ?? []
  } catch {
    return []
  }
}

async function explain({ request, status, why, atMs }: Refused): Promise<Explanation> {
  const mask = maskOf(request)
  const shown = (text: string, max: number) => cutText(mask(text), max)
  return {
    atMs,
    method: request.method,
    answer: `status ${status}`,
    path: shown(pathOf(request.target), MAX_PATH_LENGTH),
    sentences: [why.reason, ...(await moreOf(why))].map((sentence) => shown(sentence, MAX_SENTENCE_LENGTH)),
  }
}

export interface ExplainOptions {
  explanations: Explanations
  originOf: ClientOriginOf
  now: () => number
}

/**
 * Explains refused calls: the answer says the reason to whoever keeps a list of calls, and to a client of this machine where the explanation
 * is. A rejected signature has been explained before.
 */
export function createExplain({ explanations, originOf, now }: ExplainOptions): Explain {
  const refusal: Explain['refusal'] = (answer, request, why) => {
    const explainUrl = why.explainUrl ?? explanations.keep(explain({ request, status: answer.status, why, atMs: now() }))
    answer.refused = { reason: maskOf(request)(why.reason), explainUrl }
    if (isShownTo(originOf(request))) answer.headers[EXPLAIN_HEADER] = explainUrl
  }
  return { refusal, problem: explainProblem(refusal), page: explainPage(refusal) }
}
