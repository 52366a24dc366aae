import type { Answer, Json } from './server.ts'

/** What a problem says of each mistake. */
export const messagesOf = ({ errors = [] }: Json): string[] =>
  errors.map((error: Json) => error.message ?? error.detail ?? error.title).filter((message: unknown) => typeof message === 'string')

/** What a server answered to a call that it refused, in lines: the status, each error, and where the refusal is explained. */
export function sayProblem(called: string, { status, body, text, headers }: Answer): string {
  const problem = body ?? {}
  const messages = messagesOf(problem)
  const said = messages.length > 0 ? messages : [problem.detail ?? problem.error_description ?? problem.title ?? text.slice(0, 500)]
  const explained = headers.get('x-postern-explain')
  return [
    `${called}: ${status}${problem.title ? ` ${problem.title}` : ''}`,
    ...said.map((line) => `  ${line}`),
    explained && `  explained at ${explained}`,
  ]
    .filter(Boolean)
    .join('\n')
}
