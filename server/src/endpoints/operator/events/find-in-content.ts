import { readExactJson } from '../../../lib/numbers.ts'

/** Where a text was found: the path of the value, and its beginning or the part around the text. */
export interface FoundText {
  path: string
  excerpt: string
}

/** So many characters are shown on either side. */
const AROUND = 40

function around(value: string, at: number, length: number): string {
  const [from, to] = [Math.max(0, at - AROUND), Math.min(value.length, at + length + AROUND)]
  return `${from > 0 ? '…' : ''}${value.slice(from, to)}${to < value.length ? '…' : ''}`.toWellFormed()
}

/** The names and values of JSON in their order. A name is found at the path of its value. */
function* textsIn(value: unknown, path: string): Generator<{ path: string; text: string }> {
  if (Array.isArray(value)) {
    for (const [place, item] of value.entries()) yield* textsIn(item, `${path}[${place}]`)
    return
  }
  if (typeof value !== 'object' || value === null) {
    yield { path, text: String(value) }
    return
  }
  for (const [name, member] of Object.entries(value)) {
    const inner = path === '' ? name : `${path}.${name}`
    if (path !== '') yield { path: inner, text: name }
    yield* textsIn(member, inner)
  }
}

/** The first name or value of what an event carries that has a text; undefined if the text only spans several. */
export function findInContent(content: Buffer, wanted: string): FoundText | undefined {
  for (const { path, text } of textsIn((readExactJson(`{"data":{${content}`) as { data: unknown }).data, '')) {
    const at = text.indexOf(wanted)
    if (at >= 0) return { path, excerpt: around(text, at, wanted.length) }
  }
  return undefined
}

/** The bytes that the JSON of a text has, whatever stands around it. */
export const bytesInJson = (text: string): Buffer => Buffer.from(JSON.stringify(text).slice(1, -1))
