import { invalidRequest } from '../declare/problem.ts'

/** The text of a request body, without a byte order mark. Throws `invalid-request` when it is not UTF-8. */
export function bodyText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalidRequest([{ message: 'The request body is not valid UTF-8.' }])
  }
}
