/** Writes the JSON of a member of an object; undefined leaves it out. */
export type WriteMember<Row, Context> = (row: Row, context: Context) => string | undefined

export interface JsonMember<Row, Context> {
  name: string
  write: WriteMember<Row, Context>
}

/** Compiles how rows are written as JSON objects: from closures, so that no object is made for a row. */
export function compileJsonObject<Row, Context>(members: readonly JsonMember<Row, Context>[]): (row: Row, context: Context) => string {
  const parts = members.map(({ name, write }) => ({ first: `{${JSON.stringify(name)}:`, next: `,${JSON.stringify(name)}:`, write }))
  return (row, context) => {
    let text = ''
    for (const { first, next, write } of parts) {
      const value = write(row, context)
      if (value !== undefined) text = text + (text === '' ? first : next) + value
    }
    return text === '' ? '{}' : `${text}}`
  }
}

/** So many rows are written at once. */
const ROWS_OF_A_PIECE = 50

/** Writes rows as the items of a JSON list, in pieces. */
export function* writeJsonPieces<Row>(rows: readonly Row[], write: (row: Row) => string): Generator<string> {
  if (rows.length <= ROWS_OF_A_PIECE) return yield writeJsonItems(rows, write)
  for (let from = 0; from < rows.length; from += ROWS_OF_A_PIECE)
    yield (from === 0 ? '' : ',') + writeJsonItems(rows.slice(from, from + ROWS_OF_A_PIECE), write)
}

/** Writes rows as the items of a JSON list. */
export function writeJsonItems<Row>(rows: readonly Row[], write: (row: Row) => string): string {
  let text = ''
  for (const row of rows) text += text === '' ? write(row) : `,${write(row)}`
  return text
}
