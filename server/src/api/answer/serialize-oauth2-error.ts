import { oauth2ErrorOf } from '../declare/oauth2-problem.ts'
import { JSON_TYPE } from './serialize.ts'
import type { SerializeProblem } from './serialize-problem.ts'

const MAX_LENGTH = 1000

/** The characters that `error_description` may have (RFC 6749, section 5.2). */
const describable = (text: string) =>
  text
    .replaceAll('"', "'")
    .replaceAll('\\', '/')
    .replace(/[^ -~]/g, '?')
    .slice(0, MAX_LENGTH)

/** `error` and `error_description` (RFC 6749, section 5.2). */
export const oauth2Error =
  (headers: Record<string, string>): SerializeProblem =>
  (problem) => {
    const { errors = [], detail = '' } = problem.members
    const description = errors.length > 0 ? errors.map(({ message }) => message).join(' ') : detail || problem.message
    return {
      status: problem.status,
      headers: { ...headers, ...problem.headers, 'content-type': JSON_TYPE },
      body: JSON.stringify({ error: oauth2ErrorOf(problem), error_description: describable(description) }),
    }
  }
