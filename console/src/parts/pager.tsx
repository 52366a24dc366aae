import { get } from '../api.ts'
import { place, setQuery } from '../router.tsx'
import { type Loaded, useLoaded } from './loaded.tsx'

interface ListPage<Item> {
  data: Item[]
  meta: { next_before?: string | number }
}

/** A page of a list, newest first; which one is in the address. */
export function usePage<Item>(path: string, parameters: Record<string, string>): Loaded<ListPage<Item>> {
  const before = place.value.query.get('before')
  const query = new URLSearchParams({ ...parameters, ...(before !== null && { before }) })
  return useLoaded(`${path} ${query}`, async () => (await get<ListPage<Item>>(`${path}?${query}`)).body)
}

/** Leads to the pages of such a list; below it. */
export function Pager({ of: { value, reload } }: { of: Loaded<ListPage<unknown>> }) {
  const next = value?.meta.next_before
  return (
    <p class="tools">
      <button type="button" onClick={reload}>
        Read again
      </button>
      <button type="button" disabled={!place.value.query.has('before')} onClick={() => setQuery({ before: undefined })}>
        Newest
      </button>
      <button type="button" disabled={next === undefined} onClick={() => setQuery({ before: String(next) })}>
        Older
      </button>
    </p>
  )
}
