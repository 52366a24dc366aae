import type { Content, TermQuery } from '../../content.ts'
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

/** A parameter with numbers of 64 bits as rows of a table `wanted (place, value)`. */
const wanted = {
  sqlite: '(select key as place, value from json_each($1)) as wanted',
  postgres: '(select ordinality - 1 as place, value from unnest($1::bigint[]) with ordinality as o (value)) as wanted',
}

/** Counts terms among the newest posts. */
export const createTermFrequencies =
  ({ readRows, flavour }: Pick<SqlDatabase, 'readRows' | 'flavour'>): Content['termFrequencies'] =>
  async (terms, most) => {
    const newest = await readRows(`select cast(id as text) from posts as p order by p.id desc limit $1`, [most])
    const counts = terms.map(() => 0)
    if (newest.length === 0 || terms.length === 0) return { counts, among: newest.length }
    const count = '(select count(*) from post_terms as t where t.term = wanted.value and t.post_id >= $2)'
    const rows = await readRows(`select wanted.place, ${count} from ${wanted[flavour.name]}`, [
      flavour.name === 'postgres' ? terms : `[${terms.join()}]`,
      BigInt(newest.at(-1)![0] as string),
    ])
    for (const [place, posts] of rows) counts[Number(place)] = Number(posts)
    return { counts, among: newest.length }
  }
