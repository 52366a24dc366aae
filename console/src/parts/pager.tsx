import { get } from '../api.ts'
import { place, setQuery } from '../router.tsx'
import { type Loaded, useLoaded } from './loaded.tsx'

/** Lists go on before an item where the newest come first, and after one where the first do. */
type Cursor = 'before' | 'after'

interface ListPage<Item> {
  data: Item[]
  meta: { next_before?: string | number; next_after?: string }
}

const PAGES = { before: ['Newest', 'Older'], after: ['First', 'Next'] } as const

/** Changes a filter, and begins with the first page again. */
export const setFilter = (name: string, value: string | undefined) => setQuery({ [name]: value, before: undefined, after: undefined })

/** A page of a list; which one is in the address. */
export function usePage<Item>(
  path: string,
  parameters: Partial<Record<string, string>>,
  cursor: Cursor = 'before',
): Loaded<ListPage<Item>> {
  const at = place.value.query.get(cursor)
  const query = new URLSearchParams({ ...(parameters as Record<string, string>), ...(at !== null && { [cursor]: at }) })
  return useLoaded(`${path} ${query}`, async () => (await get<ListPage<Item>>(`${path}?${query}`)).body)
}

/** Leads to the pages of such a list; below it. */
export function Pager({ of: { value, reload }, cursor = 'before' }: { of: Loaded<ListPage<unknown>>; cursor?: Cursor }) {
  const next = value?.meta[`next_${cursor}`]
  const [first, further] = PAGES[cursor]
  const isFurther = place.value.query.has(cursor)
  return (
    <p class="tools">
      <button type="button" onClick={reload}>
        Read again
      </button>
      {(isFurther || next !== undefined) && (
        <>
          <button type="button" disabled={!isFurther} onClick={() => setQuery({ [cursor]: undefined })}>
            {first}
          </button>
          <button type="button" disabled={next === undefined} onClick={() => setQuery({ [cursor]: String(next) })}>
            {further}
          </button>
        </>
      )}
    </p>
  )
}
