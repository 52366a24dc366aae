import type { GiveWay } from '../lib/fair-turns.ts'
import type { ContentRow, ContentTable, Relation } from './content-tables.ts'
import type { WorkQueue } from './due-work.ts'
import type { OutboxEvent } from './outbox.ts'

/** Who reads: a user, or an app alone. */
export interface SeenBy {
  viewerId: string | undefined
}

/** Which part of a list is read, newest first. Bounds of ids are exclusive, `fromMs` is inclusive and `toMs` exclusive. */
export interface PageOf {
  limit: number
  olderThan?: string
  newerThan?: string
  fromMs?: number
  toMs?: number
  /** The items next to `newerThan`, instead of the newest: for a page that goes back. They are still in the order of newest first. */
  nextToNewer?: boolean
  /**
   * Items that this viewer must not know of are left out before the page is cut, so that neither its length nor its tokens tell of them: posts of
   * protected and of suspended users, likes and reposts by them, private lists. Lists that belong to the viewer have none.
   */
  seenBy?: SeenBy
  /** Where a page takes long to read, others are let pass. */
  giveWay?: GiveWay
}

/** Posts that have all of `all` and none of `none` of these term hashes. */
export interface TermQuery {
  all: readonly string[]
  none: readonly string[]
}

/** Posts of a span that have all term hashes of one of `any`, and of each of `none` not all. */
export interface KeywordQuery {
  any: readonly (readonly string[])[]
  none: readonly (readonly string[])[]
  /** The country of their place, in capital letters. */
  countryCode: string | undefined
  /** Inclusive. */
  fromMs: number
  /** Exclusive. */
  toMs: number
  /** Without it texts are empty. */
  withTexts: boolean
}

/** Ids from the first to the last one. */
export interface IdRange {
  first: string
  last: string
}

/** Posts with keywords: a part of them if ids are left. */
export interface KeywordPosts {
  posts: { id: string; createdAtMs: number; text: string }[]
  left?: IdRange
}

/** A list of posts, read by id. */
export type PostList =
  | { of: 'author'; authorId: string; replies: boolean; reposts: boolean }
  | { of: 'home'; userId: string; replies: boolean; reposts: boolean }
  | { of: 'list'; listId: string }
  | { of: 'quotes'; postId: string; replies: boolean }
  | { of: 'reposts'; postId: string; authorId?: string }
  | { of: 'reposts-of'; authorId: string }
  /** Posts of an author that can be promoted: those for promotion only, those that are not, or both. With `madeBy` those for promotion only are of this account. */
  | { of: 'promotable'; authorId: string; nullcast?: boolean; replies: boolean; madeBy?: string }

/** What a search found: ids of posts, newest first. */
export interface FoundPosts {
  ids: string[]
  /** The id up to which the index was read, where that is not its end and there are fewer posts than were wanted. */
  readTo?: string
}

/** A list that is read by the positions of its items. */
export type ItemList =
  | { of: 'targets'; relation: Relation; source: string }
  | { of: 'sources'; relation: Relation; target: string }
  | { of: 'reposters'; postId: string }
  | { of: 'lists'; ownerId: string }
  /** Spaces that have not ended: those of some creators, or those in some states. */
  | { of: 'spaces'; creatorIds: readonly string[] }
  | { of: 'spaces'; states: readonly string[] }
  /** Events that a participant sees of one conversation, or of all: those of these types that the participant has not deleted. */
  | { of: 'messages'; userId: string; conversationId?: string; types: readonly string[] }
  /** The scheduled posts of an account by one author that are in one of these states. */
  | { of: 'scheduled'; accountId: string; userId: string; states: readonly string[] }

/** An item of a list: its key, and its position as digits; positions grow with time. */
export interface ListedItem {
  key: string
  position: string
}

export interface RelationPair {
  relation: Relation
  source: string
  target: string
}

/** The data objects: posts, users, media and what belongs to them. */
export interface Content {
  /** The rows with these values of a column, by default of the key, in no particular order. */
  rows(table: ContentTable, columns: readonly string[], values: readonly string[], by?: string): Promise<ContentRow[]>
  /** The ids of posts of a list, newest first. */
  postIds(list: PostList, page: PageOf): Promise<string[]>
  /** The same as rows of these columns, of which `id` is one: with one statement, but for lists of many authors. */
  postRows(list: PostList, page: PageOf, columns: readonly string[]): Promise<ContentRow[]>
  /** The posts with the terms of one of the alternatives. Few entries of the index are read at a time, also where they match nothing. */
  postsWithTerms(alternatives: readonly TermQuery[], page: PageOf): Promise<FoundPosts>
  /** Some of the posts with keywords that everybody may see, the newest first, and which ids are `left` to be looked at. */
  postsWithKeywords(query: KeywordQuery, left?: IdRange): Promise<KeywordPosts>
  /** How many of the newest posts have each term (hashes), and how many those are, at most `among`. */
  termFrequencies(terms: readonly string[], among: number): Promise<{ counts: number[]; among: number }>
  /** The items of a list, newest first; `olderThan` and `newerThan` are positions. Times bound messages alone. */
  items(list: ItemList, page: PageOf): Promise<ListedItem[]>
  /** Which of these media somebody sees: own ones, and those that a post or a conversation carries that the viewer sees. */
  seenMedia(mediaKeys: readonly string[], seenBy: SeenBy): Promise<string[]>
  /** Which of these media a post carries. */
  postedMedia(mediaKeys: readonly string[]): Promise<string[]>
  /** Which of the relations exist, in either direction, between one user and others. */
  relationsOf(userId: string, others: readonly string[], of: readonly Relation[]): Promise<RelationPair[]>
  /**
   * Runs a transaction. It keeps the users who are concerned, and then locks lists before relations, relations before users, users before posts
   * and newer posts before older ones; counters change at its end, in that order too. No two transactions wait for each other in a circle.
   */
  change<T>(run: (transaction: ContentTransaction) => Promise<T>): Promise<T>
}

type Values = Readonly<Record<string, unknown>>

/** The hash of a term, and the id of a post that has it. */
export type TermPair = readonly [termHash: bigint, postId: bigint]

/** A relation that is to be added; positions grow with time. */
export interface NewRelation extends RelationPair {
  position: string
}

/**
 * A transaction on data objects. Values of `json` columns are texts, those of `bigid` digits. What it reads with `rows` has what it counts,
 * although counters are written at its end.
 */
export interface ContentTransaction extends Pick<Content, 'rows' | 'relationsOf'> {
  /** The row of a key as an object with these columns; locked until the end of the transaction. */
  get(table: ContentTable, key: string, columns: readonly string[]): Promise<Record<string, unknown> | undefined>
  /** The same for a row that others may change until the end of the transaction, but not remove. Nobody waits for it except who removes it. */
  keep: ContentTransaction['get']
  /** False, and nothing is changed, if the key is taken. */
  insert(table: ContentTable, values: Values): Promise<boolean>
  update(table: ContentTable, key: string, values: Values): Promise<void>
  /** Likes and bookmarks of a post go afterwards: with few of them before `change` resolves, else in slices. */
  remove(table: ContentTable, key: string): Promise<boolean>
  /** Adds to a counter, never below zero. */
  count(table: ContentTable, key: string, column: string, by: number): void
  /** The transaction is rolled back with this error if the row is gone when its counters change. Nobody can remove it from then on. */
  expect(table: ContentTable, key: string, gone: () => Error): void
  /** Sets a column of ids to one unless it is greater already. */
  raise(table: ContentTable, key: string, column: string, id: string): void
  /** Of the transactions that lock the same two users one runs at a time. Called before anything else is locked. */
  lockPair(one: string, other: string): Promise<void>
  hasRelation(pair: RelationPair): Promise<boolean>
  /** False if it exists already. */
  relate(pair: RelationPair, position: string): Promise<boolean>
  /** False if there is none. */
  unrelate(pair: RelationPair): Promise<boolean>
  /** Ends all relations that begin or end at an object; answers their other ends. */
  unrelateAll(relation: Relation, end: 'source' | 'target', key: string): Promise<string[]>
  targetsOf(relation: Relation, source: string): Promise<string[]>
  addTerms(postId: string, termHashes: readonly string[]): Promise<void>
  removeTerms(postId: string, termHashes: readonly string[]): Promise<void>
  /** The post with which a user reposted another; undefined if there is none. */
  repostBy(userId: string, postId: string): Promise<string | undefined>
  /** The newest post of an author that is not for promotion only; undefined if there is none. */
  newestPostOf(authorId: string): Promise<string | undefined>
  /** Inserts many rows of the same columns; answers the keys of those that were not taken. */
  insertAll(table: ContentTable, rows: readonly Values[]): Promise<string[]>
  /** Adds many relations; answers those that did not exist. */
  relateAll(relations: readonly NewRelation[]): Promise<RelationPair[]>
  /** Adds many terms of posts: of each pair the post with this id is found by the term with this hash. */
  addAllTerms(pairs: readonly TermPair[]): Promise<void>
  /** How many spaces of a user have not ended. */
  openSpaces(creatorId: string): Promise<number>
  /** Adds an event to the outbox: it is published if, and only if, this commits. This process has claimed it until `claimedUntilMs`. */
  addEvent(event: OutboxEvent, claimedUntilMs: number): Promise<void>
  /** Those who work on a queue look at it once this is committed. */
  wake(queue: WorkQueue): void
  /** Caches of a user are told, in every process, once this is committed. */
  tellOfUser(userId: string): void
  /** Whether the author has a post of the same text since a time. */
  hasSameText(authorId: string, text: string, sinceMs: number): Promise<boolean>
}
