import { malformedRequest } from '../declare/problem.ts'
import { headerOf, type RawRequest } from '../declare/raw-request.ts'

export const CONTENT_TYPES = { body: 'application/json', form: 'application/x-www-form-urlencoded' } as const

const MULTIPART = 'multipart/form-data'

/** Whether the request names this media type, with whichever parameters. */
export const isOfType = (request: Pick<RawRequest, 'headers'>, expected: string): boolean =>
  headerOf(request, 'content-type')?.split(';')[0]?.trim().toLowerCase() === expected

/** Whether the body comes in parts, one of which may be streamed; all other bodies are read whole. */
export const isMultipart = (request: Pick<RawRequest, 'headers'>): boolean => isOfType(request, MULTIPART)

/** An empty body is no body. */
export const hasBody = ({ body }: RawRequest): boolean => body !== null && body.length > 0

/** The text of a request body, without a byte order mark. Throws 400 when it is not UTF-8. */
export function bodyText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw malformedRequest([{ message: 'The request body is not valid UTF-8.' }])
  }
}

/** A form's parameters stand in the body, the query, or both. */
export function formText(request: RawRequest): string {
  const inBody = request.body && isOfType(request, CONTENT_TYPES.form) ? bodyText(request.body) : ''
  return [request.query, inBody].filter((source) => source !== '').join('&')
}
