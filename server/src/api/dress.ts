import type { Area } from './areas.ts'
import { codes } from './codes.ts'
import type { Rename } from './dialect.ts'
import { type Problem, problemKinds } from './problem.ts'
import type { RawAnswer } from './raw.ts'

/** What every answer of an area is dressed with. */
export interface Wardrobe {
  /** The prefix of problem types, without a slash at its end. */
  problemBaseUrl: string
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** Dresses what a handler answered. */
export function dressAnswer(area: Area, status: number, value: unknown, rename: Rename): RawAnswer {
  return { status, headers: { ...area.headers, 'content-type': JSON_TYPE }, body: JSON.stringify(rename ? rename(value) : value) }
}

function codedBody(problem: Problem): string {
  const code = problem.code ?? problemKinds[problem.kind].code
  const said = problem.code === undefined ? (problem.members.errors ?? []) : []
  const errors =
    said.length > 0 ? said.map(({ message }) => ({ code, message })) : [{ code, message: problem.members.detail ?? codes[code].message }]
  return JSON.stringify({ errors })
}

function problemBody(problem: Problem, { problemBaseUrl }: Wardrobe): string {
  const { suffix, title, status } = problemKinds[problem.kind]
  const type = suffix === null ? 'about:blank' : `${problemBaseUrl}/${suffix}`
  return JSON.stringify({ type, title, detail: title, status, ...problem.members })
}

/** Dresses a refusal as its area does (§7): problem+json, or `errors` with numeric codes. */
export function dressProblem(area: Area, problem: Problem, wardrobe: Wardrobe): RawAnswer {
  const asCodes = problem.code !== undefined || area.problems === 'codes'
  return {
    status: problem.status,
    headers: { ...area.headers, ...problem.headers, 'content-type': asCodes ? JSON_TYPE : 'application/problem+json' },
    body: asCodes ? codedBody(problem) : problemBody(problem, wardrobe),
  }
}
