import { type Dialect, type DialectName, dialects, type Translate } from '../../api/declare/dialect.ts'
import { defaulting, integer, listOf, object, optional, type Static, type TSchema, type WordOptions } from '../../api/declare/words.ts'
import { type WriteOptions, WrittenAnswer } from '../../api/declare/written-answer.ts'
import { writeJsonPieces } from '../../lib/json-members.ts'
import { lazy } from '../../lib/lazy.ts'
import { writeExactJson } from '../../lib/numbers.ts'

const member = <Name extends string, Word extends TSchema>(name: Name, word: Word) => ({ [name]: word }) as Record<Name, Word>

/** How a page is read: at most `limit` rows or little more, how each is shown, and its place in the list. */
interface Reading<Row, Shown, Place> {
  rows(limit: number): Promise<Row[]>
  /** Once the rows are read: where the next page begins, if that does not follow from the last row; undefined at the end. */
  next?(): Place | undefined
  view(row: Row): Shown
  placeOf(row: Row): Place
}

/** A page of rows, which are shown and written some at a time. */
class ListedPage<Row> extends WrittenAnswer {
  readonly #rows: readonly Row[]
  readonly #write: (row: Row, dialect: Dialect) => string
  readonly #meta: object

  constructor(rows: readonly Row[], write: (row: Row, dialect: Dialect) => string, meta: object) {
    super()
    this.#rows = rows
    this.#write = write
    this.#meta = meta
  }

  *pieces({ dialect }: WriteOptions): Generator<string> {
    yield '{"data":['
    yield* writeJsonPieces(this.#rows, (row) => this.#write(row, dialect))
    yield `],"meta":${writeExactJson(this.#meta)}}`
  }
}

/**
 * A list that is read page by page: what it takes and answers. A page begins `before` a place where the newest come first, `after`
 * one where the oldest do. It has at most `max` rows.
 */
export function operatorPage<Cursor extends 'before' | 'after', Place extends TSchema, Item extends TSchema>(
  cursor: Cursor,
  place: (about: WordOptions) => Place,
  item: Item,
  max = 1000,
) {
  const next = `next_${cursor}` as const
  const answer = object({
    data: listOf(item),
    meta: object({
      result_count: integer({ min: 0 }),
      ...member(next, optional(place({ description: `There may be more: send this as \`${cursor}\` to get the next page.` }))),
    }),
  })
  const translators = lazy(
    () => new Map<DialectName, Translate>(Object.values(dialects).map((one) => [one.name, one.answerTranslator(item)])),
  )
  const write = (shown: Static<Item>, dialect: Dialect) => {
    const translate = translators().get(dialect.name)
    return writeExactJson(translate ? translate(shown) : shown)
  }
  return {
    params: {
      ...member(cursor, optional(place({ description: `\`meta.${next}\` of the previous page.` }))),
      max_results: defaulting(integer({ min: 1, max }), 100),
    },
    answer,
    async read<Row>(
      limit: number,
      { rows, view, placeOf, next: nextPlace }: Reading<Row, Static<Item>, Static<Place>>,
    ): Promise<WrittenAnswer> {
      const found = await rows(limit)
      const afterLast = () => (found.length >= limit ? placeOf(found.at(-1)!) : undefined)
      const begin = nextPlace ? nextPlace() : afterLast()
      const more = begin !== undefined && { [next]: begin }
      return new ListedPage(found, (row, dialect) => write(view(row), dialect), { result_count: found.length, ...more })
    },
  }
}
