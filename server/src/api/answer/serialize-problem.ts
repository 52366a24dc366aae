import type { Logger } from 'pino'
import { writeExactJson } from '../../lib/numbers.ts'
import { type Code, codes, labelOf } from '../declare/codes.ts'
import type { Dialect } from '../declare/dialect.ts'
import { adsErrorOf, NAMED_MEMBERS, Problem, problemKinds } from '../declare/problem.ts'
import type { RawAnswer } from '../declare/raw-request.ts'
import { refusalPage, serializePage } from './page.ts'
import { JSON_TYPE } from './serialize.ts'

/** What a client is asked to wait while the database is away. */
const RETRY_AFTER_SECONDS = '1'

/** What is answered to an error of an endpoint. A bug is logged, and shown as nothing but a bug. */
export function problemOf(error: unknown, log: Logger, endpoint: string): Problem {
  if (error instanceof Problem) return error
  if ((error as { unavailable?: boolean }).unavailable)
    return new Problem('unavailable', { detail: (error as Error).message }, { headers: { 'retry-after': RETRY_AFTER_SECONDS } })
  log.error({ err: error, endpoint }, 'unhandled error in an endpoint')
  return new Problem('internal')
}

type Headers = Record<string, string>

export interface ProblemOptions {
  /** The prefix of problem types, without a slash at its end. */
  problemBaseUrl: string
  /** The realm of credentials: the first public origin of the general host. */
  realm?: string
  /** How names are spelled; undefined: as they are in the specification. */
  dialect?: Pick<Dialect, 'out'>
}

/** Writes a problem in the form of an area (§7). */
export type SerializeProblem = (problem: Problem, options: ProblemOptions) => RawAnswer

const answerOf = (problem: Problem, headers: Headers, type: string, body: string, status = problem.status): RawAnswer => ({
  status,
  headers: { ...headers, ...problem.headers, 'content-type': type },
  body,
})

/** The members of a problem about a resource with their names in a dialect, in `detail` that of its kind. */
function spelledMembers({ members }: Problem, dialect: Pick<Dialect, 'out'>) {
  const { detail, resource_type: kind } = members
  const spelled = NAMED_MEMBERS.filter((name) => typeof members[name] === 'string').map((name) => [
    name,
    dialect.out(members[name] as string),
  ])
  const named = detail !== undefined && typeof kind === 'string' && { detail: detail.replace(` ${kind} `, ` ${dialect.out(kind)} `) }
  return { ...members, ...named, ...Object.fromEntries(spelled) }
}

function problemBody(problem: Problem, { problemBaseUrl, dialect }: ProblemOptions): string {
  const { suffix, title, status } = problemKinds[problem.kind]
  const type = suffix === null ? 'about:blank' : `${problemBaseUrl}/${suffix}`
  return JSON.stringify({ type, title, detail: title, status, ...(dialect ? spelledMembers(problem, dialect) : problem.members) })
}

const MALFORMED = 358

const codeOf = (problem: Problem): Code => problem.code ?? (problem.isMalformed ? MALFORMED : problemKinds[problem.kind].code)

function codedBody(problem: Problem): string {
  const code = codeOf(problem)
  const label = labelOf(code)
  const details = problem.code === undefined ? (problem.members.errors ?? []) : []
  const own = details.map((detail) => ({ code: typeof detail.code === 'number' ? detail.code : code, message: detail.message }))
  const errors = own.length > 0 ? own : [{ code, message: problem.members.detail ?? codes[code].message }]
  return JSON.stringify({ errors: errors.map((error) => ({ ...error, ...(label !== undefined && { label }) })) })
}

/** A missing or wrong parameter is 403 where errors have numeric codes (public practice). Other kinds have the status of the problem. */
const codedStatus = (problem: Problem) => (codeOf(problem) === PARAMETER ? codes[PARAMETER].status : problem.status)
const PARAMETER = 38

/** The error body of the advertising hosts (public practice): each error with its code, and the parameters that were understood; those of a batch by its operations. */
function adsBody(problem: Problem): string {
  const { operation_errors, request = { params: problem.echo ?? {} } } = problem.members
  if (operation_errors) return writeExactJson({ operation_errors, request })
  const { errors = [{ message: problem.members.detail ?? problemKinds[problem.kind].title }] } = problem.members
  const details = errors.map((error) => adsErrorOf(error, problem.kind))
  return writeExactJson({ errors: details, request })
}

function pageOf(problem: Problem) {
  const { title } = problemKinds[problem.kind]
  const text = problem.members.errors?.map(({ message }) => message).join(' ') ?? problem.members.detail
  return refusalPage(problem.status, title, text ?? title)
}

/** `errors` with numeric codes. */
const codedProblem =
  (headers: Headers): SerializeProblem =>
  (problem) =>
    answerOf(problem, headers, JSON_TYPE, codedBody(problem), codedStatus(problem))

/** The same; a 401 says that a signature is expected (§4.3). */
export function signInProblem(headers: Headers): SerializeProblem {
  const serialize = codedProblem(headers)
  return (problem, options) => {
    const answer = serialize(problem, options)
    const code = problem.code === undefined ? '' : `, api_error_code=${problem.code}`
    if (answer.status === 401) answer.headers['www-authenticate'] ??= `OAuth realm="${options.realm ?? 'postern'}"${code}`
    return answer
  }
}

/** `application/problem+json` (RFC 7807), but for a problem with a numeric code. */
export function problemJson(headers: Headers): SerializeProblem {
  const withCode = codedProblem(headers)
  return (problem, options) =>
    problem.code === undefined
      ? answerOf(problem, headers, 'application/problem+json', problemBody(problem, options))
      : withCode(problem, options)
}

/** The numeric codes that the advertising hosts answer too (§7). */
const ADS_NUMERIC_CODES: readonly (Code | undefined)[] = [89, 93, 99]

/** The errors of the advertising hosts. */
export function adsProblemJson(headers: Headers): SerializeProblem {
  const withCode = codedProblem(headers)
  return (problem, options) =>
    ADS_NUMERIC_CODES.includes(problem.code) ? withCode(problem, options) : answerOf(problem, headers, JSON_TYPE, adsBody(problem))
}

/** A page that says why. */
export const problemPage =
  (headers: Headers): SerializeProblem =>
  (problem) =>
    serializePage(pageOf(problem), { ...headers, ...problem.headers })
