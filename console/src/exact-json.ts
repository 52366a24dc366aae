/** A value of a JSON text. Numbers keep the digits that they were written with: ids have more than a double holds. */
export type Json =
  | { type: 'object'; members: [name: string, value: Json][] }
  | { type: 'array'; items: Json[] }
  | { type: 'string'; value: string }
  | { type: 'number'; text: string }
  | { type: 'literal'; text: string }

const TOKEN = /\s*([{}[\]:,]|"(?:[^"\\]|\\.)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y

/** Reads a JSON text. Throws a SyntaxError for what is none. */
export function readJson(text: string): Json {
  let at = 0
  const next = (): string => {
    TOKEN.lastIndex = at
    const found = TOKEN.exec(text)
    if (!found) throw new SyntaxError(`no JSON at character ${at}`)
    at = TOKEN.lastIndex
    return found[1]!
  }
  const peek = (): string => {
    const before = at
    const token = next()
    at = before
    return token
  }

  /** What stands between an opening and a closing bracket. */
  const list = <Item>(close: string, item: () => Item): Item[] => {
    const items: Item[] = []
    if (peek() === close) {
      next()
      return items
    }
    for (;;) {
      items.push(item())
      const token = next()
      if (token === close) return items
      if (token !== ',') throw new SyntaxError(`no comma at character ${at}`)
    }
  }

  const member = (): [string, Json] => {
    const name = JSON.parse(next()) as string
    if (next() !== ':') throw new SyntaxError(`no colon at character ${at}`)
    return [name, value()]
  }

  const value = (): Json => {
    const token = next()
    if (token === '{') return { type: 'object', members: list('}', member) }
    if (token === '[') return { type: 'array', items: list(']', value) }
    if (token.startsWith('"')) return { type: 'string', value: JSON.parse(token) }
    if (/^[\d-]/.test(token)) return { type: 'number', text: token }
    if (/^[a-z]/.test(token)) return { type: 'literal', text: token }
    throw new SyntaxError(`no value at character ${at}`)
  }

  const read = value()
  if (text.slice(at).trim() !== '') throw new SyntaxError(`more than one value, from character ${at}`)
  return read
}

/** A member of an object, or of one in it: `at(answer, 'data', 'payload')`. */
export function at(value: Json | undefined, ...path: (string | number)[]): Json | undefined {
  let found = value
  for (const step of path) {
    if (found?.type === 'object') found = found.members.find(([name]) => name === step)?.[1]
    else if (found?.type === 'array' && typeof step === 'number') found = found.items[step]
    else return undefined
  }
  return found
}

/** An object of those members that there are. */
export const objectOf = (members: Record<string, Json | string | undefined>): Json => ({
  type: 'object',
  members: Object.entries(members)
    .filter((member): member is [string, Json | string] => member[1] !== undefined)
    .map(([name, value]) => [name, typeof value === 'string' ? { type: 'string', value } : value]),
})

/** Writes a value with its exact digits; indented, unless `step` is empty. */
export function writeJson(value: Json, step = '  ', indent = ''): string {
  if (value.type === 'string') return JSON.stringify(value.value)
  if (value.type === 'number' || value.type === 'literal') return value.text
  const inner = indent + step
  const pieces =
    value.type === 'array'
      ? value.items.map((item) => writeJson(item, step, inner))
      : value.members.map(([name, member]) => `${JSON.stringify(name)}:${step && ' '}${writeJson(member, step, inner)}`)
  const [open, close] = value.type === 'array' ? '[]' : '{}'
  if (pieces.length === 0) return `${open}${close}`
  return step === '' ? `${open}${pieces.join(',')}${close}` : `${open}\n${inner}${pieces.join(`,\n${inner}`)}\n${indent}${close}`
}
