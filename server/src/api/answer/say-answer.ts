import type { RawAnswer } from '../declare/raw-request.ts'
import { JSON_TYPE } from './serialize.ts'

interface ErrorBody {
  errors?: readonly { code?: number | string; message: string }[]
}

/** What an answer that refuses says first: `code 32: Could not authenticate you.`, and with its status where errors have no number. */
export function sayAnswer({ status, headers, body }: Pick<RawAnswer, 'status' | 'headers' | 'body'>): string {
  const { errors: [first] = [] }: ErrorBody = headers['content-type'] === JSON_TYPE ? JSON.parse(String(body)) : {}
  if (first?.code === undefined) return `status ${status}`
  return typeof first.code === 'number' ? `code ${first.code}: ${first.message}` : `status ${status}, ${first.code}: ${first.message}`
}
