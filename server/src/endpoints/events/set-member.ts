import { readExactJson } from '../../lib/numbers.ts'

type Members = Record<string, unknown>

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null

/** The objects that have a member with this name, nearest to the top; none where there is no such member at any depth. */
function holdersOf(level: readonly unknown[], name: string): Members[] {
  const objects = level.filter(isObject)
  if (objects.length === 0) return []
  const found = objects.filter((one) => !Array.isArray(one) && Object.hasOwn(one, name))
  return found.length > 0
    ? found
    : holdersOf(
        objects.flatMap((one) => Object.values(one)),
        name,
      )
}

/** A value where another stood. A text stays one where that was one, and is else read as JSON, so that texts of a command line will do. */
function valueLike(former: unknown, value: unknown): unknown {
  if (typeof former === 'string' || typeof value !== 'string') return value
  try {
    return readExactJson(value)
  } catch {
    return value
  }
}

/** Every name of a member, at any depth. */
export function namesIn(value: unknown): string[] {
  if (!isObject(value)) return []
  const own = Array.isArray(value) ? [] : Object.keys(value)
  return [...new Set([...own, ...Object.values(value).flatMap(namesIn)])]
}

/** Sets the member with this name that is nearest to the top, or all of them at that depth. Returns whether there is one. */
export function setMember(payload: Members, name: string, value: unknown): boolean {
  const holders = holdersOf([payload], name)
  for (const holder of holders) holder[name] = valueLike(holder[name], value)
  return holders.length > 0
}
