import { invalidRequest } from '../../api/declare/problem.ts'

/** The `next_token` of a page that ends with this subscription. */
export const pageTokenAfter = (id: string): string => Buffer.from(`after:${id}`).toString('base64url')

/** The id in a page token. Throws `invalid-request` for a text that is none of ours. */
export function idOfPageToken(token: string): string {
  const after = /^after:([0-9]{1,19})$/.exec(Buffer.from(token, 'base64url').toString('utf8'))?.[1]
  if (after !== undefined && pageTokenAfter(after) === token) return after
  throw invalidRequest([
    {
      message: `The \`pagination_token\` query parameter value [${token}] is not a next_token of this list`,
      parameters: { pagination_token: [token] },
    },
  ])
}
