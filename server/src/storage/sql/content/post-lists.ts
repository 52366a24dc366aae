import type { Content, PageOf, PostList, SeenBy } from '../../content.ts'
import { type ContentRow, posts } from '../../content-tables.ts'
import type { Flavour } from '../flavour.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { selectColumn } from './columns.ts'
import { createRowReader } from './read-objects.ts'

/** The parameter for a viewer; no user has the id of an app alone. */
export const viewerIn = ({ viewerId }: SeenBy): string => viewerId ?? ''

/** Neither suspended, nor protected from the viewer. `u` is the user, `a` the profile. */
const isOpen = (viewer: string) => `not u.disabled and (not a.protected or u.id = ${viewer}
  or exists (select 1 from relations as f where f.relation = 'follow' and f.source = ${viewer} and f.target = u.id))`

/**
 * Whether the viewer may know what a user does. A subquery of one value, so that the planner of PostgreSQL looks one user up for
 * each row, instead of joining all of them.
 */
export const authorIsSeen = (userId: string, viewer: string): string =>
  `(select ${isOpen(viewer)} from users as u join profiles as a on a.user_id = u.id where u.id = ${userId})`

/** Whether the viewer may know of the list with an id, a text. */
export const listIsSeen = (listId: string, viewer: string): string =>
  `(select not l.private or l.owner_id = ${viewer} from lists as l where l.id = cast(${listId} as bigint))`

/** A statement with its parameters; `$1` and on. */
export interface ReadStatement {
  text: string
  values: unknown[]
}

/** Collects the parameters of a statement. */
export class Parameters {
  readonly values: unknown[] = []

  add(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  /** A number of 64 bits, given as digits. */
  addNumber(digits: string): string {
    return this.add(BigInt(digits))
  }
}

/** A repost is hidden from those from whom the posts of its original's author are. */
const originalIsSeen = (of: string, seenBy: SeenBy, parameters: Parameters) =>
  `(${of}.reposted_author_id is null or ${authorIsSeen(`${of}.reposted_author_id`, parameters.add(viewerIn(seenBy)))})`

/** What of a page holds for every post of it; `of` is the alias of the posts. Authors who are known to be seen are not asked for again. */
export function boundsOf(
  { olderThan, newerThan, fromMs, toMs, seenBy }: PageOf,
  of: string,
  parameters: Parameters,
  list?: PostList,
): string[] {
  const authorsAreSeen = list?.of === 'author' || list?.of === 'home' || list?.of === 'list'
  return [
    ...(olderThan === undefined ? [] : [`${of}.id < ${parameters.addNumber(olderThan)}`]),
    ...(newerThan === undefined ? [] : [`${of}.id > ${parameters.addNumber(newerThan)}`]),
    ...(fromMs === undefined ? [] : [`${of}.created_at_ms >= ${parameters.add(fromMs)}`]),
    ...(toMs === undefined ? [] : [`${of}.created_at_ms < ${parameters.add(toMs)}`]),
    ...(seenBy && !authorsAreSeen ? [authorIsSeen(`${of}.author_id`, parameters.add(viewerIn(seenBy)))] : []),
    ...(seenBy ? [originalIsSeen(of, seenBy, parameters)] : []),
  ]
}

const kindsOf = ({ replies, reposts }: { replies: boolean; reposts: boolean }, of: string) => [
  ...(replies ? [] : [`${of}.replied_to_id is null`]),
  ...(reposts ? [] : [`${of}.reposted_id is null`]),
]

/** Posts that are shown to nobody but who was promoted to are in no list. */
const isInLists = (of: string) => `not ${of}.nullcast`

/** Of the posts that are for promotion only an account is shown those that it made. */
function isShownTo(accountId: string, nullcast: boolean | undefined, parameters: Parameters) {
  const isOwn = `exists (select 1 from ads_posts as a where a.post_id = p.id and a.account_id = ${parameters.add(accountId)} and a.made)`
  return nullcast ? isOwn : `(${isInLists('p')} or ${isOwn})`
}

/** The order of a page in SQL. */
export const direction = ({ nextToNewer }: PageOf) => (nextToNewer ? 'asc' : 'desc')

/** For each of some authors the newest posts of the page: each costs an index lookup, however many posts there are. */
function ofEach(keys: string, conditions: (alias: string) => string[], page: PageOf, limit: string, { name }: Flavour) {
  const newest = `select q.id from posts as q where ${['q.author_id = keys.key', ...conditions('q')].join(' and ')}
    order by q.id ${direction(page)} limit ${limit}`
  return name === 'postgres'
    ? `select p.id from (${keys}) as keys cross join lateral (${newest}) as p`
    : `select p.value as id from (${keys}) as keys, json_each((select json_group_array(id) from (${newest}))) as p`
}

/** The authors of a list, those whom its owner follows or its members. */
const authorsOf = (list: PostList & { of: 'home' | 'list' }, parameters: Parameters) =>
  list.of === 'home'
    ? `select target as key from relations as f where relation = 'follow' and source = ${parameters.add(list.userId)}
        and not exists (select 1 from relations as m where m.relation = 'mute' and m.source = f.source and m.target = f.target) union select ${parameters.add(list.userId)}`
    : `select target as key from relations where relation = 'list_member' and source = ${parameters.add(list.listId)}`

/** Those of some authors whom the viewer may see: once for each, instead of once for each post. Who is followed is seen. */
const seenOf = (authors: string, { seenBy }: PageOf, parameters: Parameters) =>
  seenBy ? `select k.key from (${authors}) as k where ${authorIsSeen('k.key', parameters.add(viewerIn(seenBy)))}` : authors

/** The conditions of a list for its posts `p`. */
function conditionsOf(list: Exclude<PostList, { of: 'home' | 'list' }>, page: PageOf, parameters: Parameters): string[] {
  const bounds = () => boundsOf(page, 'p', parameters, list)
  if (list.of === 'author') return [`p.author_id = ${parameters.add(list.authorId)}`, isInLists('p'), ...kindsOf(list, 'p'), ...bounds()]
  if (list.of === 'quotes') {
    const kinds = kindsOf({ replies: list.replies, reposts: true }, 'p')
    return [`p.quoted_id = ${parameters.addNumber(list.postId)}`, isInLists('p'), ...kinds, ...bounds()]
  }
  if (list.of === 'reposts') {
    const ofOne = list.authorId === undefined ? [] : [`p.author_id = ${parameters.add(list.authorId)}`]
    return [`p.reposted_id = ${parameters.addNumber(list.postId)}`, ...ofOne, ...bounds()]
  }
  if (list.of === 'promotable') {
    const ofKind = list.nullcast === undefined ? [] : [list.nullcast ? 'p.nullcast' : isInLists('p')]
    const shown = list.madeBy === undefined || list.nullcast === false ? [] : [isShownTo(list.madeBy, list.nullcast, parameters)]
    const kinds = kindsOf({ replies: list.replies, reposts: false }, 'p')
    return [`p.author_id = ${parameters.add(list.authorId)}`, ...ofKind, ...shown, ...kinds, ...bounds()]
  }
  return [`p.reposted_author_id = ${parameters.add(list.authorId)}`, ...bounds()]
}

/** Selects the ids of a list of many authors. `among`: some of these, instead of all. */
function selectIdsOfMany(
  list: PostList & { of: 'home' | 'list' },
  page: PageOf,
  parameters: Parameters,
  limit: string,
  flavour: Flavour,
  among: readonly string[] | undefined,
): string {
  const all = among ? `select value as key from json_each(${parameters.add(JSON.stringify(among))})` : authorsOf(list, parameters)
  const authors = list.of === 'list' ? seenOf(all, page, parameters) : all
  const kinds = list.of === 'home' ? list : { replies: true, reposts: true }
  return ofEach(
    authors,
    (alias) => [isInLists(alias), ...kindsOf(kinds, alias), ...boundsOf(page, alias, parameters, list)],
    page,
    limit,
    flavour,
  )
}

/** Whether a list has posts of many authors, of each of which the newest are read. */
const isOfMany = (list: PostList): list is PostList & { of: 'home' | 'list' } => list.of === 'home' || list.of === 'list'

/** The statement that reads columns of a page; in ascending order where the page goes back. */
function postRowsStatement(list: Exclude<PostList, { of: 'home' | 'list' }>, page: PageOf, columns: readonly string[]): ReadStatement {
  const parameters = new Parameters()
  const limit = parameters.add(page.limit)
  const selected = columns.map((column) => selectColumn(posts, column)).join()
  const where = conditionsOf(list, page, parameters).join(' and ')
  return {
    text: `select ${selected} from posts as p where ${where} order by p.id ${direction(page)} limit ${limit}`,
    values: parameters.values,
  }
}

/** The statement that reads the ids of a page; in ascending order where the page goes back. */
function postIdsStatement(list: PostList, page: PageOf, flavour: Flavour, among?: readonly string[]): ReadStatement {
  if (!isOfMany(list)) return postRowsStatement(list, page, ['id'])
  const parameters = new Parameters()
  const limit = parameters.add(page.limit)
  const ids = selectIdsOfMany(list, page, parameters, limit, flavour, among)
  return {
    text: `select cast(id as text) from (${ids}) as chosen order by chosen.id ${direction(page)} limit ${limit}`,
    values: parameters.values,
  }
}

/** The first ids of two lists, in the order of a page. */
export function firstOf(one: readonly string[], other: readonly string[], page: Pick<PageOf, 'limit' | 'nextToNewer'>): string[] {
  if (one.length === 0) return other.slice(0, page.limit)
  const sign = page.nextToNewer ? 1 : -1
  const inOrder = (a: string, b: string) => sign * (a.length - b.length || (a < b ? -1 : a > b ? 1 : 0))
  return [...new Set([...one, ...other])].sort(inOrder).slice(0, page.limit)
}

/** Of so many authors the newest posts are read at once, where reading keeps the event loop. */
const AUTHORS_OF_A_SLICE = 20

/** Reads lists of posts. */
export function createPostLists(database: Pick<SqlDatabase, 'readRows' | 'flavour'>): Pick<Content, 'postIds' | 'postRows'> {
  const { readRows, flavour } = database
  const read = async ({ text, values }: ReadStatement) => (await readRows(text, values)).map(([id]) => id as string)

  /** What is left of a page, once that many posts of it are known. */
  function beyond(page: PageOf, ids: readonly string[]): PageOf {
    if (ids.length < page.limit) return page
    return { ...page, [page.nextToNewer ? 'olderThan' : 'newerThan']: ids.at(-1) }
  }

  /** In the main thread: the posts of some authors after those of others. */
  async function readInSlices(list: PostList & { of: 'home' | 'list' }, page: PageOf): Promise<string[]> {
    const parameters = new Parameters()
    const authors = await read({ text: authorsOf(list, parameters), values: parameters.values })
    let ids: string[] = []
    for (let from = 0; from < authors.length; from += AUTHORS_OF_A_SLICE) {
      await page.giveWay?.()
      const some = authors.slice(from, from + AUTHORS_OF_A_SLICE)
      ids = firstOf(ids, await read(postIdsStatement(list, beyond(page, ids), flavour, some)), page)
    }
    return ids
  }

  const postIds = async (list: PostList, page: PageOf) => {
    const ids =
      isOfMany(list) && flavour.name === 'sqlite' ? await readInSlices(list, page) : await read(postIdsStatement(list, page, flavour))
    return page.nextToNewer ? ids.reverse() : ids
  }

  const rowsByKey = createRowReader(database)

  /** The rows of ids, in their order; `id` is one of the columns. */
  async function rowsInOrder(ids: readonly string[], columns: readonly string[]): Promise<ContentRow[]> {
    const place = columns.indexOf('id')
    const rows = new Map((await rowsByKey(posts, columns, ids)).map((row) => [row[place], row]))
    return ids.flatMap((id) => {
      const row = rows.get(id)
      return row ? [row] : []
    })
  }

  return {
    postIds,
    async postRows(list, page, columns) {
      if (isOfMany(list)) return rowsInOrder(await postIds(list, page), columns)
      const { text, values } = postRowsStatement(list, page, columns)
      const rows = [...(await readRows(text, values))]
      return page.nextToNewer ? rows.reverse() : rows
    },
  }
}
