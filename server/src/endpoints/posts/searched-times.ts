import { matches } from '../../lib/post-text/query/match.ts'
import type { Content, PageOf } from '../../storage/content.ts'
import { type ContentRow, posts, users } from '../../storage/content-tables.ts'
import type { Search } from './search.ts'
import { searchablePosts } from './searchable-posts.ts'

/** Posts are read so many at a time, and of a search the newest so often: 100,000 posts, or 500,000 entries of the index. */
const AT_ONCE = 1000
const MAX_ROUNDS = 100

/** Which of these posts a search finds. */
async function checked(content: Content, ids: readonly string[], { check }: Search): Promise<readonly string[]> {
  if (!check) return ids
  const known = await searchablePosts(content, ids)
  return ids.filter((id) => known.has(id) && matches(check, known.get(id)!))
}

/** When these posts were created; without those that not everybody may see. */
async function publicTimes(content: Content, ids: readonly string[]): Promise<number[]> {
  const rows = await content.rows(posts, ['author_id', 'restriction', 'created_at_ms', 'reposted_author_id'], ids)
  const authorIds = rows.flatMap(([author, , , original]) => [author, original ?? author] as string[])
  const authors = await content.rows(users, ['id', 'disabled', 'protected'], [...new Set(authorIds)])
  const open = new Set(authors.filter(([, disabled, isProtected]) => !disabled && !isProtected).map(([id]) => id))
  const isPublic = ([author, restriction, , original]: ContentRow) =>
    restriction === null && open.has(author) && (original === null || open.has(original))
  return rows.filter(isPublic).map(([, , ms]) => Number(ms))
}

/** When the posts that a search finds were created, in parts. */
export async function* searchedTimes(content: Content, search: Search, page: Omit<PageOf, 'limit'>): AsyncGenerator<number[]> {
  let { olderThan } = page
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { ids, readTo } = await content.postsWithTerms(search.alternatives, { ...page, limit: AT_ONCE, olderThan })
    yield await publicTimes(content, await checked(content, ids, search))
    if (ids.length < AT_ONCE && readTo === undefined) return
    olderThan = readTo ?? ids.at(-1)
  }
}
