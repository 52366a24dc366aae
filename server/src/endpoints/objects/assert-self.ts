import { invalidRequest } from '../../api/declare/problem.ts'

/** Throws `invalid-request` for the id of another user than the authenticated one (public practice). */
export function assertSelf(userId: string, id: string): void {
  if (id === userId) return
  const message = `The \`id\` query parameter value [${id}] must be the same as the authenticating user [${userId}]`
  throw invalidRequest([{ message, parameters: { id: [id] } }])
}
