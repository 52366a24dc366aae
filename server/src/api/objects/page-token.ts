import { MAX_LONG } from '../../lib/numbers.ts'
import { invalidRequest } from '../declare/problem.ts'
import { defaulting, integer, matching, optional } from '../declare/words.ts'

/** Where a page begins: after the item of a position, towards older or newer ones. */
export interface PageStart {
  position: string
  goesBack: boolean
}

const encode = (list: string, { position, goesBack }: PageStart) =>
  Buffer.from(`${list}:${goesBack ? 'p' : 'n'}:${position}`).toString('base64url')

/** The token of a page: opaque to clients, and valid for the list of this name alone. */
export const pageToken = (list: string, start: PageStart): string => encode(list, start)

/** The place of a token. Throws `invalid-request` for a text that is no token of this list. */
export function readPageToken(list: string, parameter: string, token: string): PageStart {
  const [name, direction, position = ''] = Buffer.from(token, 'base64url').toString('utf8').split(':')
  const start = { position, goesBack: direction === 'p' }
  const isPosition = /^\d{1,19}$/.test(position) && BigInt(position) <= MAX_LONG
  if (name === list && isPosition && encode(list, start) === token) return start
  const message = `The \`${parameter}\` query parameter value [${token}] is not a token of this list`
  throw invalidRequest([{ message, parameters: { [parameter]: [token] } }])
}

const token = (description: string) =>
  optional(matching('^[A-Za-z0-9_-]{4,200}$', { description, mustBe: 'a token of `meta` of this list' }))

/** The parameters of every list: how many, and where its page begins. */
export const pageParams = ({ min = 1, max, usual = max }: { min?: number; max: number; usual?: number }) => ({
  max_results: defaulting(integer({ min, max }), usual),
  pagination_token: token('`meta.next_token` or `meta.previous_token` of another page.'),
})
