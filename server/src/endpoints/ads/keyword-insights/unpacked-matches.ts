import { endOfTurn } from '../../../lib/clock.ts'
import type { Content } from '../../../storage/content.ts'
import { places, posts, users } from '../../../storage/content-tables.ts'
import type { Hours, KeywordIndex, UnpackedPost } from '../../../storage/keyword-index.ts'
import type { KeywordSearch } from './keyword-search.ts'

/** Posts are read so many at a time, and others are served in between. */
const AT_ONCE = 500

/** The unpacked posts of some hours, by hour: all of them, and those that match. */
export interface UnpackedMatches {
  ids: Map<number, Set<bigint>>
  matched: Map<number, string[]>
}

interface Services {
  content: Pick<Content, 'rows'>
  keywordIndex: KeywordIndex
}

/** Of posts that may match those that do, and that everybody may see. */
async function matchingOf(content: Services['content'], search: KeywordSearch, ids: readonly string[]): Promise<Set<string>> {
  const rows = await content.rows(posts, ['id', 'text', 'author_id', 'restriction', 'nullcast', 'place_id'], ids)
  const open = rows.filter(([, , , restriction, nullcast]) => restriction === null && !nullcast)
  const valuesOf = (column: number) => [...new Set(open.flatMap((row) => (row[column] === null ? [] : [row[column] as string])))]
  const [authors, countries] = await Promise.all([
    content.rows(users, ['id', 'disabled', 'protected'], valuesOf(2)),
    search.countryCode === undefined ? [] : content.rows(places, ['id', 'country_code'], valuesOf(5)),
  ])
  const seen = new Set(authors.filter(([, disabled, isProtected]) => !disabled && !isProtected).map(([id]) => id))
  const inCountry = new Set(countries.filter(([, code]) => (code as string).toUpperCase() === search.countryCode).map(([id]) => id))
  const isAsked = ([, text, author, , , place]: readonly unknown[]) =>
    seen.has(author) && (search.countryCode === undefined || inCountry.has(place)) && search.matchesText(text as string)
  return new Set(open.filter(isAsked).map(([id]) => id as string))
}

/** Reads the unpacked posts of some hours. */
export async function unpackedMatches({ content, keywordIndex }: Services, search: KeywordSearch, hours: Hours): Promise<UnpackedMatches> {
  const found: UnpackedMatches = { ids: new Map(), matched: new Map() }
  const wanted = [...new Set(search.any.flatMap(({ places }) => places))].map((place) => search.terms[place]!)
  let after: UnpackedPost | undefined
  for (;;) {
    const read = await keywordIndex.unpacked(hours, after, AT_ONCE)
    const candidates = await keywordIndex.withTerms(
      read.map(({ postId }) => postId),
      wanted,
    )
    const matching = await matchingOf(content, search, candidates)
    for (const { hour, postId } of read) {
      found.ids.set(hour, (found.ids.get(hour) ?? new Set()).add(BigInt(postId)))
      if (!matching.has(postId)) continue
      const matched = found.matched.get(hour)
      if (matched) matched.push(postId)
      else found.matched.set(hour, [postId])
    }
    if (read.length < AT_ONCE) return found
    after = read.at(-1)
    await endOfTurn()
  }
}
