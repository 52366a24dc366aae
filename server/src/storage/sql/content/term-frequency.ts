import type { TermQuery } from '../../content.ts'
import type { SqlDatabase } from '../sql-database.ts'

/** Terms with at least so many posts are equally frequent. */
const FREQUENT = 1000

/** The same queries, the terms of each with the rarest first: its posts are read, and looked up for the others. */
export async function byFrequency({ readRows }: Pick<SqlDatabase, 'readRows'>, queries: readonly TermQuery[]): Promise<TermQuery[]> {
  const terms = [...new Set(queries.filter(({ all }) => all.length > 1).flatMap(({ all }) => all))]
  if (terms.length === 0) return [...queries]
  const counts = terms.map(
    (_, index) => `(select count(*) from (select 1 as one from post_terms where term = $${index + 1} limit ${FREQUENT}) as t${index})`,
  )
  const [row] = await readRows(`select ${counts.join()}`, terms.map(BigInt))
  const frequency = new Map(terms.map((term, index) => [term, Number(row![index])]))
  return queries.map(({ all, none }) => ({ all: all.toSorted((one, other) => frequency.get(one)! - frequency.get(other)!), none }))
}
