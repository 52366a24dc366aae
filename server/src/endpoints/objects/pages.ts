import { before, type Rule } from '../../api/declare/rules.ts'
import { id, optional, timestamp } from '../../api/declare/words.ts'
import { type PageStart, pageParams, pageToken, readPageToken } from '../../api/objects/page-token.ts'
import type { Content, Item, ItemList, PageOf, PostList } from '../../storage/content.ts'
import type { Asked } from './load-answer.ts'

/** The parameters of pages, as requests send them. */
export interface PageParams {
  max_results: number
  pagination_token?: string
  since_id?: string
  until_id?: string
  start_time?: string
  end_time?: string
}

/** The parameters of every list of posts: a page, and between which ids and times. */
export const postPageParams = (limits: { min?: number; max: number; usual?: number }) => ({
  ...pageParams(limits),
  since_id: optional(id({ description: 'Posts after this one.' })),
  until_id: optional(id({ description: 'Posts before this one.' })),
  start_time: optional(timestamp({ description: 'Posts from this time on.' })),
  end_time: optional(timestamp({ description: 'Posts before this time.' })),
})

/** A list of posts ends after it begins. */
export const postPageRules: readonly Rule[] = [before('start_time', 'end_time')]

const time = (moment: string | undefined) => (moment === undefined ? undefined : Date.parse(moment))

const smaller = (one: string | undefined, other: string) => (one !== undefined && BigInt(one) < BigInt(other) ? one : other)
const greater = (one: string | undefined, other: string) => (one !== undefined && BigInt(one) > BigInt(other) ? one : other)

/** The part of a list that a request asks for, with one item more than it has: to know whether there are others. */
function pageOf(params: PageParams, start: PageStart | undefined): PageOf {
  const { max_results, since_id, until_id, start_time, end_time } = params
  const page = { limit: max_results + 1, olderThan: until_id, newerThan: since_id, fromMs: time(start_time), toMs: time(end_time) }
  if (!start) return page
  if (start.goesBack) return { ...page, newerThan: greater(since_id, start.position), nextToNewer: true }
  return { ...page, olderThan: smaller(until_id, start.position) }
}

/** Items that were found for a page: as many as it may have and one more, unless there are no others. */
interface Found {
  items: readonly Item[]
  /** Where to look further, if fewer were found although there may be others. */
  searchedTo?: string
}

interface Page {
  keys: string[]
  tokens: { next_token?: string; previous_token?: string }
}

/** The items of the page, and the tokens of those next to it. */
function pageFrom(listName: string, { items: found, searchedTo }: Found, max: number, start: PageStart | undefined): Page {
  const goesBack = start?.goesBack ?? false
  const hasMore = found.length > max
  const items = goesBack ? found.slice(hasMore ? 1 : 0) : found.slice(0, max)
  const token = (position: string | undefined, goesBack: boolean) => position && pageToken(listName, { position, goesBack })
  const ahead = searchedTo ?? (hasMore ? (goesBack ? items[0] : items.at(-1))?.position : undefined)
  const behind = (goesBack ? items.at(-1) : items[0])?.position ?? beside(start)
  const next = token(goesBack ? behind : ahead, false)
  const previous = token(goesBack ? ahead : start && behind, true)
  return {
    keys: items.map(({ key }) => key),
    tokens: { ...(next && { next_token: next }), ...(previous && { previous_token: previous }) },
  }
}

/** The place from which a page on the way back leads to the item that the way began at: positions of tokens are exclusive. */
function beside(start: PageStart | undefined): string | undefined {
  return start && String(BigInt(start.position) + (start.goesBack ? 1n : -1n))
}

async function readPage(listName: string, params: PageParams, read: (page: PageOf) => Promise<Found>): Promise<Page> {
  const { pagination_token, max_results } = params
  const start = pagination_token === undefined ? undefined : readPageToken(listName, 'pagination_token', pagination_token)
  return pageFrom(listName, await read(pageOf(params, start)), max_results, start)
}

/** A page of posts that `read` finds, newest first. `listName` ties its tokens to the list. */
export async function pageOfPostsBy(
  read: (page: PageOf) => Promise<{ ids: readonly string[]; searchedTo?: string }>,
  listName: string,
  params: PageParams,
): Promise<Asked> {
  const { keys, tokens } = await readPage(listName, params, async (page) => {
    const { ids, searchedTo } = await read(page)
    return { items: ids.map((id) => ({ key: id, position: id })), searchedTo }
  })
  return {
    ...{ values: keys, isList: true },
    meta: (shown) => ({
      result_count: shown.length,
      ...(shown.length > 0 && { newest_id: shown[0], oldest_id: shown.at(-1) }),
      ...tokens,
    }),
  }
}

/** A page of a list of posts, newest first. */
export const pageOfPosts = (content: Content, list: PostList, listName: string, params: PageParams): Promise<Asked> =>
  pageOfPostsBy(async (page) => ({ ids: await content.postIds(list, page) }), listName, params)

/** A page of a list of other objects, newest first. */
export async function pageOfItems(content: Content, list: ItemList, listName: string, params: PageParams): Promise<Asked> {
  const { keys, tokens } = await readPage(listName, params, async (page) => ({ items: await content.items(list, page) }))
  return { values: keys, isList: true, meta: (shown) => ({ result_count: shown.length, ...tokens }) }
}
