import { hasDecoder, withCodec } from '../../../api/declare/codec.ts'
import { iso, MOMENT_FORMAT, type Params, type TSchema } from '../../../api/declare/words.ts'
import { isRealMoment } from '../../../lib/time.ts'

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/

/** Reads a time in ISO 8601 with a zone as answers write it; undefined for anything else. */
function readTime(text: string): string | undefined {
  const [, minute, seconds = ':00', zone = ''] = TIME.exec(text) ?? []
  if (minute === undefined) return undefined
  const plain = `${minute}${seconds}${zone.replace(/^(...)(\d\d)$/, '$1:$2')}`
  return isRealMoment(plain) ? iso(Date.parse(plain)) : undefined
}

interface Inside {
  format?: string
  properties?: Params
  items?: TSchema
  anyOf?: TSchema[]
}

/** A word that takes any time in ISO 8601 with a zone wherever it has a moment, also inside of it. */
function anyTimeIn<Word extends TSchema>(word: Word): Word {
  const { format, properties, items, anyOf } = word as Inside
  if (format === MOMENT_FORMAT && !hasDecoder(word))
    return withCodec(word, { decode: readTime, mustBe: 'a time in ISO 8601 with a zone, like 2026-03-01T12:00:00Z' })
  return {
    ...word,
    ...(properties && { properties: anyTimesIn(properties) }),
    ...(items && { items: anyTimeIn(items) }),
    ...(anyOf && { anyOf: anyOf.map(anyTimeIn) }),
  }
}

/** The same members, which take any time in ISO 8601 with a zone: whoever writes a seed by hand leaves milliseconds out. */
export const anyTimesIn = <Members extends Params>(members: Members): Members =>
  Object.fromEntries(Object.entries(members).map(([name, word]) => [name, anyTimeIn(word)])) as Members
