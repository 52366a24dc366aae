import { inText, isForm } from '../../../access/oauth1/read-signed.ts'
import type { RawRequest } from '../../../api/declare/raw-request.ts'
import type { Pair } from './signing.ts'

function members(text: string): Pair[] {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).map(([name, member]) => ({
      name: name.toWellFormed(),
      value: (typeof member === 'string' ? member : JSON.stringify(member)).toWellFormed(),
    }))
  } catch {
    return []
  }
}

function fields(text: string): Pair[] {
  try {
    return inText(text, 'form').map(({ name, value }) => ({ name, value }))
  } catch {
    return []
  }
}

/** What a client may have signed of a body that should not be signed: its JSON members, its form fields, or all of it. */
export function candidateBodies(request: RawRequest): Pair[][] {
  const text = request.body?.toString('utf8') ?? ''
  if (text === '') return []
  const whole = [[{ name: text, value: '' }], [{ name: 'body', value: text }]]
  return isForm(request) ? whole : [members(text), fields(text), ...whole]
}
