import type { Auth, Caller } from '../../api/declare/auth.ts'
import { codes } from '../../api/declare/codes.ts'
import { type Problem, problemKinds } from '../../api/declare/problem.ts'
import type { Why } from '../../api/declare/why.ts'
import type { Explain } from '../../api/serve.ts'

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
export const explainProblem =
  (explain: Explain['refusal']): Explain['problem'] =>
  (answer, request, { problem, auth }) => {
    if (isExplained(answer.status, problem.why)) explain(answer, request, whyOf(problem, auth))
  }

/** The same for a page that says no. */
export const explainPage =
  (explain: Explain['refusal']): Explain['page'] =>
  (answer, request, page) => {
    if ('title' in page && isExplained(answer.status, page.why)) explain(answer, request, page.why ?? { reason: `${page.title}.` })
  }
