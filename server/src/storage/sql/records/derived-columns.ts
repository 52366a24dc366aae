import { foldCase } from '../../../lib/text.ts'
import { fieldOf, type RecordType } from '../../records.ts'

/** A column that is computed from fields of the record whenever one of them changes. Searches compare it with the query. */
export interface DerivedColumn {
  name: string
  fields: readonly string[]
  compute(record: object): string
}

const textOf = (record: object, field: string) => (fieldOf(record, field) as string | null | undefined) ?? ''

/** The words of a text (runs of letters and digits), case-folded. */
export const wordsOf = (text: string): string[] => foldCase(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

/** PostgreSQL truncates longer names. */
const MAX_NAME_LENGTH = 63

function termsColumn(table: string, fields: readonly string[]): DerivedColumn {
  const name = `${fields.join('_')}_terms`
  if (name.length > MAX_NAME_LENGTH) throw new Error(`${table} cannot be searched by so many fields: ${name} is too long for a column`)
  return {
    name,
    fields,
    compute: (record) =>
      fields
        .map((field) =>
          wordsOf(textOf(record, field))
            .map((word) => ` ${word}`)
            .join(''),
        )
        .join(''),
  }
}

const prefixColumn = (field: string): DerivedColumn => ({
  name: `${field}_key`,
  fields: [field],
  compute: (record) => foldCase(textOf(record, field)),
})

/**
 * The column for the search of a list. Its name contains the fields, so that a changed search gets a new column. For a prefix it contains
 * the case-folded field; for terms all words of the fields, each after a space.
 */
export function searchColumn({ table, search }: RecordType): DerivedColumn | undefined {
  if (!search) return undefined
  return 'prefixOf' in search ? prefixColumn(search.prefixOf) : termsColumn(table, search.termsOf)
}
