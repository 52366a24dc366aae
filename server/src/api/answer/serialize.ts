import { writeExactJson } from '../../lib/numbers.ts'
import type { Area } from '../declare/areas.ts'
import { type Code, codes } from '../declare/codes.ts'
import type { Rename } from '../declare/dialect.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import { adsNames, type Problem, problemKinds } from '../declare/problem.ts'
import type { RawAnswer } from '../declare/raw-request.ts'
import { type Page, type Redirect, refusalPage, serializePage } from './page.ts'

/** What every answer of an area is dressed with. */
export interface ProblemOptions {
  /** The prefix of problem types, without a slash at its end. */
  problemBaseUrl: string
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** As clients of sign-in expect it: a form that says it is HTML (public practice). */
const FORM_TYPE = 'text/html;charset=utf-8'

/** Dresses what a handler answered. */
export function serializeAnswer({ area, success, answersForm }: Endpoint, value: unknown, rename: Rename): RawAnswer {
  if (area.problems === 'page') return serializePage(value as Page | Redirect, area.headers)
  const headers = { ...area.headers, 'content-type': answersForm ? FORM_TYPE : JSON_TYPE }
  const body = answersForm
    ? new URLSearchParams(value as Record<string, string>).toString()
    : writeExactJson(rename ? rename(value) : value)
  return { status: success, headers, body }
}

function codedBody(problem: Problem): string {
  const code = problem.code ?? problemKinds[problem.kind].code
  const said = problem.code === undefined ? (problem.members.errors ?? []) : []
  const errors =
    said.length > 0 ? said.map(({ message }) => ({ code, message })) : [{ code, message: problem.members.detail ?? codes[code].message }]
  return JSON.stringify({ errors })
}

function problemBody(problem: Problem, { problemBaseUrl }: ProblemOptions): string {
  const { suffix, title, status } = problemKinds[problem.kind]
  const type = suffix === null ? 'about:blank' : `${problemBaseUrl}/${suffix}`
  return JSON.stringify({ type, title, detail: title, status, ...problem.members })
}

const pageOf = (problem: Problem) => {
  const { title } = problemKinds[problem.kind]
  const says = problem.members.errors?.map(({ message }) => message).join(' ') ?? problem.members.detail
  return refusalPage(problem.status, title, says ?? title)
}

/** The error body of the advertising hosts (§7, public practice): each mistake with its code, and what of the request was understood. */
function adsBody(problem: Problem): string {
  const { errors = [{ message: problem.members.detail ?? problemKinds[problem.kind].title }] } = problem.members
  const said = errors.map(({ message, code = adsNames[problem.kind] ?? 'INVALID', parameters, attribute }) => {
    const parameter = Object.keys(parameters ?? {})[0]
    return { code, message, ...(parameter !== undefined && { parameter }), ...(attribute !== undefined && { attribute }) }
  })
  return writeExactJson({ errors: said, request: { params: problem.echo ?? {} } })
}

/** The numeric codes that the advertising hosts answer too (§7). */
const ON_ADS_TOO: readonly (Code | undefined)[] = [89, 93, 99]

/** Dresses a refusal as its area does (§7): problem+json, `errors` with numeric codes, those of the advertising hosts, or a page. */
export function serializeProblem(area: Area, problem: Problem, problemOptions: ProblemOptions): RawAnswer {
  if (area.problems === 'page') return serializePage(pageOf(problem), { ...area.headers, ...problem.headers })
  if (area.problems === 'ads' && !ON_ADS_TOO.includes(problem.code))
    return { status: problem.status, headers: { ...area.headers, ...problem.headers, 'content-type': JSON_TYPE }, body: adsBody(problem) }
  const asCodes = problem.code !== undefined || area.problems === 'codes'
  return {
    status: problem.status,
    headers: { ...area.headers, ...problem.headers, 'content-type': asCodes ? JSON_TYPE : 'application/problem+json' },
    body: asCodes ? codedBody(problem) : problemBody(problem, problemOptions),
  }
}
