import type { ListQuery, SortKey } from '../../storage/records.ts'

type Row = { id: string } & Record<string, unknown>

const compare = (one: unknown, other: unknown) => (one === other ? 0 : (one as string) < (other as string) ? -1 : 1)

/** The id is the last key, in the direction of the one before. */
function inOrder(sort: readonly SortKey[]) {
  const keys = [...sort, { field: 'id', descending: sort.at(-1)!.descending }]
  return (one: Row, other: Row) => {
    for (const { field, descending } of keys) {
      const order = compare(one[field], other[field])
      if (order !== 0) return descending ? -order : order
    }
    return 0
  }
}

/** A page of few rows that are built in, as lists of records are paged (§4.4), and whether more follow. */
export function builtInPage<R extends Row>(rows: readonly R[], { sort, after, limit }: Pick<ListQuery, 'sort' | 'after' | 'limit'>) {
  const sorted = rows.toSorted(inOrder(sort))
  const begin = after ? sorted.findIndex(({ id }) => id === after.key) + 1 : 0
  return { page: sorted.slice(begin, begin + limit), hasMore: begin + limit < sorted.length }
}
