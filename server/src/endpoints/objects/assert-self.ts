import { invalidRequest } from '../../api/declare/problem.ts'

/** Throws `invalid-request` for the id of another user than the authenticated one (public practice). */
export function assertSelf(userId: string, id: string, parameter = 'id'): void {
  if (id === userId) return
  const message = `The \`${parameter}\` query parameter value [${id}] must be the same as the authenticating user [${userId}]`
  throw invalidRequest([{ message, parameters: { [parameter]: [id] } }])
}
