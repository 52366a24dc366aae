import { Problem } from '../../api/declare/problem.ts'
import type { Content } from '../../storage/content.ts'
import { users } from '../../storage/content-tables.ts'
import type { Asked } from './load-answer.ts'
import { type AskedFor, hiddenObject } from './partial-errors.ts'
import { User } from './user.ts'

type Missing = Pick<AskedFor, 'object' | 'value' | 'parameter'>

/** The answer of a list that belongs to something which does not exist, or which the viewer may not know of: no items, and the problem. */
export const listOfUnknown = (missing: Missing): Asked => ({
  values: [],
  isList: true,
  meta: () => ({ result_count: 0 }),
  errors: [hiddenObject('resource-not-found', { ...missing, section: 'data' })],
})

/** A list that belongs to the user with the id of a request; the problem, where there is no such user, or a suspended one. */
export async function listOfUser(content: Content, userId: string, list: Promise<Asked>): Promise<Asked> {
  const [[user], asked] = await Promise.all([content.rows(users, ['disabled'], [userId]), list])
  const missing: AskedFor = { object: User, value: userId, parameter: 'id', section: 'data' }
  if (!user) return listOfUnknown(missing)
  if (!user[0]) return asked
  return { ...listOfUnknown(missing), errors: [hiddenObject('not-authorized-for-resource', missing)] }
}

/** 404 for an object that a write is about and that does not exist, or that the user may not know of. */
export const unknownObject = ({ object: { title, resourceType }, parameter, value }: Missing): Problem =>
  new Problem('resource-not-found', {
    detail: `Could not find ${title} with ${parameter}: [${value}].`,
    parameter,
    resource_id: value,
    resource_type: resourceType,
    value,
  })
