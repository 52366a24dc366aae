import { withCodec } from '../../api/declare/codec.ts'
import { before, type Rule } from '../../api/declare/rules.ts'
import { objectId, optional, timestamp } from '../../api/declare/words.ts'
import { type PageStart, pageParams, pageToken, readPageToken } from '../../api/objects/page-token.ts'
import type { GiveWay } from '../../lib/fair-turns.ts'
import type { Content, ItemList, ListedItem, PageOf, PostList, SeenBy } from '../../storage/content.ts'
import type { ContentRow } from '../../storage/content-tables.ts'
import type { Asked, AskedPage } from './load-answer.ts'

/** The parameters of pages, as requests send them. */
export interface PageParams {
  max_results: number
  pagination_token?: string
  /** The same, as searches may call it. */
  next_token?: string
  since_id?: string
  until_id?: string
  start_time?: string
  end_time?: string
  /** Who reads, where a list may have items that not everybody sees. */
  seenBy?: SeenBy
  /** Lets others pass, where a page takes long to read. */
  giveWay?: GiveWay
}

/** A time as clients send it: with or without milliseconds (public practice). */
export const sentTime = (description: string) =>
  withCodec(timestamp({ description, mustBe: 'a time in UTC, like 2026-03-01T12:00:00Z' }), {
    textPattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{3})?Z$',
    decode: (text) => text.replace(/(:\d\d)Z$/, '$1.000Z'),
  })

/** The parameters of every list of posts: a page, and between which ids and times. */
export const postPageParams = (limits: { min?: number; max: number; usual?: number }) => ({
  ...pageParams(limits),
  since_id: optional(objectId({ description: 'Posts after this one.' })),
  until_id: optional(objectId({ description: 'Posts before this one.' })),
  start_time: optional(sentTime('Posts from this time on.')),
  end_time: optional(sentTime('Posts before this time.')),
})

/** A list of posts ends after it begins. */
export const postPageRules: readonly Rule[] = [before('start_time', 'end_time')]

const time = (moment: string | undefined) => (moment === undefined ? undefined : Date.parse(moment))

const smaller = (one: string | undefined, other: string) => (one !== undefined && BigInt(one) < BigInt(other) ? one : other)
const greater = (one: string | undefined, other: string) => (one !== undefined && BigInt(one) > BigInt(other) ? one : other)

/** The part of a list that a request asks for, with one item more than it has: to know whether there are others. */
function pageOf(params: PageParams, start: PageStart | undefined): PageOf {
  const { max_results, since_id, until_id, start_time, end_time, seenBy, giveWay } = params
  const times = { fromMs: time(start_time), toMs: time(end_time) }
  const page = { limit: max_results + 1, olderThan: until_id, newerThan: since_id, ...times, seenBy, giveWay }
  if (!start) return page
  if (start.goesBack) return { ...page, newerThan: greater(since_id, start.position), nextToNewer: true }
  return { ...page, olderThan: smaller(until_id, start.position) }
}

interface Page<Item> {
  items: readonly Item[]
  tokens: { next_token?: string; previous_token?: string }
}

/** A list whose tokens are tied to its name. */
interface ListOf<Item> {
  listName: string
  positionOf(item: Item): string
}

/** What was found of a list. */
export interface Found<Kind> {
  items: readonly Kind[]
  /** The position up to which the list was read, where that is not its end and there are fewer items than were wanted. */
  readTo?: string
}

/** The items of the page, and the tokens of those next to it. */
function pageFrom<Item>(
  { listName, positionOf }: ListOf<Item>,
  { items: found, readTo }: Found<Item>,
  max: number,
  start: PageStart | undefined,
): Page<Item> {
  const hasMore = found.length > max
  const items = start?.goesBack ? found.slice(hasMore ? 1 : 0) : found.slice(0, max)
  const hasOlder = start?.goesBack || hasMore
  const hasNewer = start !== undefined && (!start.goesBack || hasMore)
  const token = (position: string | undefined, goesBack: boolean) => position && pageToken(listName, { position, goesBack })
  const positionAt = (place: number) => (items.length > 0 ? positionOf(items.at(place)!) : undefined)
  const [older, newer] = [hasOlder ? positionAt(-1) : undefined, hasNewer ? positionAt(0) : undefined]
  const next = token(start?.goesBack ? (older ?? beside(start)) : (readTo ?? older), false)
  const previous = token(start?.goesBack ? (readTo ?? newer) : newer, true)
  return {
    items,
    tokens: { ...(next && { next_token: next }), ...(previous && { previous_token: previous }) },
  }
}

/** The place from which a page that found nothing newer leads back to where it began: positions of tokens are exclusive. */
const beside = ({ position }: PageStart) => String(BigInt(position) + 1n)

async function readPage<Item>(list: ListOf<Item>, params: PageParams, read: (page: PageOf) => Promise<Found<Item>>): Promise<Page<Item>> {
  const { max_results } = params
  const name = params.next_token === undefined ? 'pagination_token' : 'next_token'
  const token = params[name]
  const start = token === undefined ? undefined : readPageToken(list.listName, name, token)
  return pageFrom(list, await read(pageOf(params, start)), max_results, start)
}

/** What an answer says of a page of posts. */
const metaOfPosts = (tokens: Page<unknown>['tokens']) => (shown: readonly string[]) => ({
  result_count: shown.length,
  ...(shown.length > 0 && { newest_id: shown[0], oldest_id: shown.at(-1) }),
  ...tokens,
})

const itself = (id: string) => id

/** A page of posts that `read` finds, newest first. `listName` ties its tokens to the list. */
export async function pageOfPostsBy(read: (page: PageOf) => Promise<Found<string>>, listName: string, params: PageParams): Promise<Asked> {
  const { items, tokens } = await readPage({ listName, positionOf: itself }, params, read)
  return { values: items, isList: true, meta: metaOfPosts(tokens) }
}

/** A page of a list of posts, newest first: its rows are read with it. */
export const pageOfPosts = (content: Content, list: PostList, listName: string, params: PageParams): AskedPage => ({
  isList: true,
  async read({ columns, placeOf }) {
    const id = placeOf('id')
    const { items, tokens } = await readPage({ listName, positionOf: (row: ContentRow) => row[id] as string }, params, async (page) => ({
      items: await content.postRows(list, page, columns),
    }))
    return { rows: items, meta: metaOfPosts(tokens) }
  },
})

/** A page of a list of other objects, newest first. */
export async function pageOfItems(content: Content, list: ItemList, listName: string, params: PageParams): Promise<Asked> {
  const ofItems = { listName, positionOf: ({ position }: ListedItem) => position }
  const { items, tokens } = await readPage(ofItems, params, async (page) => ({ items: await content.items(list, page) }))
  return { values: items.map(({ key }) => key), isList: true, meta: (shown) => ({ result_count: shown.length, ...tokens }) }
}
