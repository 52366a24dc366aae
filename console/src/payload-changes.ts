import { type Json, writeJson } from './exact-json.ts'

const isBranch = (value: Json) => value.type === 'object' || value.type === 'array'

/** A member of a value, at any depth. */
interface Member {
  name: string
  /** The member at the top that it is in. */
  top: string
  path: string
  value: Json
  /** It holds no members that are edited by themselves. */
  isLeaf: boolean
}

function membersOf(value: Json, name = '', top = '', path = ''): Member[] {
  if (value.type === 'array') return value.items.flatMap((item, place) => membersOf(item, name, top, `${path}.${place}`))
  if (value.type !== 'object') return []
  return value.members.flatMap(([inner, member]) => {
    const at = { name: inner, top: top || inner, path: `${path}.${inner}` }
    const isLeaf = member.type === 'array' ? !member.items.some(isBranch) : !isBranch(member)
    return [{ ...at, value: member, isLeaf }, ...(isLeaf ? [] : membersOf(member, inner, at.top, at.path))]
  })
}

/**
 * What of an example was changed, as `POST /operator/trigger` takes it: a member by its name where only one has it, so that the others are as
 * the server makes them; otherwise the whole member at the top.
 */
export function changesOf(example: Json, edited: Json): Record<string, Json> {
  const former = membersOf(example)
  const formerAt = new Map(former.map(({ path, value }) => [path, writeJson(value, '')]))
  const tops = edited.type === 'object' ? new Map(edited.members) : new Map<string, Json>()
  const changes: Record<string, Json> = {}
  for (const { name, top, path, value, isLeaf } of membersOf(edited)) {
    if (!isLeaf || formerAt.get(path) === writeJson(value, '')) continue
    const isAlone = former.filter((one) => one.name === name).length === 1
    changes[isAlone ? name : top] = isAlone ? value : tops.get(top)!
  }
  return changes
}
