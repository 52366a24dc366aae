import type { Shown } from '../../api/objects/data-object.ts'
import type { ObjectRows, PartialError } from '../../api/objects/object-answer.ts'
import { mayRead, type ObjectPlan, planObject } from '../../api/objects/write-object.ts'
import type { Content } from '../../storage/content.ts'
import type { ContentRow } from '../../storage/content-tables.ts'
import { type AskedFor, hiddenObject, privateField, type Section } from './partial-errors.ts'
import type { AnswerPlan, AskedExpansion } from './plan-answer.ts'
import { Post } from './post.ts'
import { User } from './user.ts'
import { authorColumns, hiddenFrom, visibilityColumns } from './visibility.ts'

/** Rows by a column. */
type RowsByKey = Map<string, ContentRow>

interface Loaded {
  plan: ObjectPlan
  rows: RowsByKey
}

/** The rows of a plan by a column. */
export const indexRows = ({ placeOf }: ObjectPlan, rows: readonly ContentRow[], by: string): RowsByKey => {
  const place = placeOf(by)
  return new Map(rows.map((row) => [row[place] as string, row]))
}

const getter =
  ({ placeOf }: ObjectPlan, row: ContentRow) =>
  (column: string) =>
    row[placeOf(column)]

/** The plan of users who are read because their posts are, and not shown. */
const authorPlan = planObject(User, [], authorColumns)

/** The plan of posts that are read because they are reposted. */
const originalPlan = planObject(Post, [], visibilityColumns(Post))

/** Who asks, and what the access token may do. */
export type Viewer = Pick<Shown, 'viewerId' | 'scopes'>

/** Loads one answer: the objects, what they refer to, and who may see what. Each kind of object is read once. */
export class AnswerLoader {
  readonly #content: Pick<Content, 'rows' | 'relationsOf'>
  readonly #plan: AnswerPlan
  readonly #viewerId: string | undefined
  readonly #scopes: Viewer['scopes']
  readonly #loaded = new Map<string, Loaded>()
  #authors: RowsByKey = new Map()
  /** What was read of authors: less, where they are not shown. */
  #authorPlan: ObjectPlan = authorPlan
  #originals: RowsByKey = new Map()
  #relations: ReadonlySet<string> = new Set()
  readonly errors: PartialError[] = []

  constructor(content: Pick<Content, 'rows' | 'relationsOf'>, plan: AnswerPlan, { viewerId, scopes }: Viewer) {
    this.#content = content
    this.#plan = plan
    this.#viewerId = viewerId
    this.#scopes = scopes
  }

  async #load(kind: string, keys: readonly string[]) {
    const plan = this.#plan.included.get(kind)!
    const { table } = plan.object
    const rows = keys.length > 0 ? await this.#content.rows(table, plan.columns, [...new Set(keys)]) : []
    this.#loaded.set(kind, { plan, rows: indexRows(plan, rows, table.key) })
  }

  /** Everything that the objects refer to, and what decides who may see them. */
  async loadAll(main: readonly ContentRow[]) {
    await this.#loadPosts(main)
    await this.#loadOthers(main)
    await this.#loadRelations(main)
  }

  /** Posts that the objects refer to, because other expansions start from them; and what is reposted. */
  async #loadPosts(main: readonly ContentRow[]) {
    const first = this.#plan.expansions.filter(({ to, after }) => to === 'post' && !after)
    if (first.length > 0)
      await this.#load(
        'post',
        first.flatMap(({ keysOf }) => main.flatMap(keysOf)),
      )
    const originals = this.#columnOfPosts(main, 'reposted_id')
    if (originals.length > 0)
      this.#originals = indexRows(originalPlan, await this.#content.rows(Post.table, originalPlan.columns, originals), Post.table.key)
  }

  #postRows(): ContentRow[] {
    return [...(this.#loaded.get('post')?.rows.values() ?? [])]
  }

  /** The rows to which an expansion of the main objects refers. */
  #loadedBy({ to, keysOf }: AskedExpansion, main: readonly ContentRow[]): ContentRow[] {
    const { rows } = this.#loaded.get(to)!
    return main.flatMap((row) => keysOf(row).map((key) => rows.get(key))).filter((row) => row !== undefined)
  }

  /** Everything else that is referred to, each kind with one statement; and the authors of posts. */
  async #loadOthers(main: readonly ContentRow[]) {
    const wanted = new Map<string, string[]>()
    for (const { to, after, keysOf } of this.#plan.expansions.filter(({ to }) => to !== 'post')) {
      const keys = (after ? this.#loadedBy(after, main) : main).flatMap(keysOf)
      wanted.set(to, [...(wanted.get(to) ?? []), ...keys])
    }
    const authors = this.#authorIds(main)
    wanted.get('user')?.push(...authors)
    await Promise.all([...wanted].map(([kind, keys]) => this.#load(kind, keys)))
    const users = this.#loaded.get('user')
    if (users) {
      this.#authors = users.rows
      this.#authorPlan = users.plan
    } else if (authors.length > 0) {
      this.#authors = indexRows(authorPlan, await this.#content.rows(User.table, authorPlan.columns, authors), 'id')
    }
  }

  #authorIds(main: readonly ContentRow[]): string[] {
    const ofOriginals = [...this.#originals.values()].map((row) => row[originalPlan.placeOf('author_id')] as string)
    return [...new Set([...this.#columnOfPosts(main, 'author_id'), ...ofOriginals])]
  }

  /** The ids in a column of all posts that are read. */
  #columnOfPosts(main: readonly ContentRow[], column: 'author_id' | 'reposted_id'): string[] {
    const idsIn = (plan: ObjectPlan | undefined, rows: readonly ContentRow[]) =>
      plan?.object.kind === 'post' ? rows.map((row) => row[plan.placeOf(column)] as string | null) : []
    const ids = [...idsIn(this.#plan.main, main), ...idsIn(this.#plan.included.get('post'), this.#postRows())]
    return [...new Set(ids.filter((id) => id !== null))]
  }

  /** The relations between the viewer and everybody whose posts or profile are shown. */
  async #loadRelations(main: readonly ContentRow[]) {
    const viewerId = this.#viewerId
    if (viewerId === undefined) return
    const users = new Set(this.#authors.keys())
    if (this.#plan.needsRelations) {
      for (const userId of this.#loaded.get('user')?.rows.keys() ?? []) users.add(userId)
      if (this.#plan.main.object === User) for (const row of main) users.add(row[this.#plan.main.placeOf('id')] as string)
    }
    users.delete(viewerId)
    const pairs = await this.#content.relationsOf(viewerId, [...users], ['follow', 'block', 'mute'])
    this.#relations = new Set(pairs.map(({ relation, source, target }) => `${relation}:${source}:${target}`))
  }

  get shown(): Viewer & Pick<Shown, 'relations'> {
    return { viewerId: this.#viewerId, scopes: this.#scopes, relations: this.#relations }
  }

  /**
   * Whether an object is shown: the viewer may see it, and read something that was asked for of it. Else the reason is among the errors, and
   * so is each refused field. An object of a list that the viewer may not see is no error.
   */
  isShown(plan: ObjectPlan, row: ContentRow, asked: Omit<AskedFor, 'object'> | undefined): boolean {
    const { object } = plan
    const authorOf = (userId: string) => {
      const author = this.#authors.get(userId)
      return author && getter(this.#authorPlan, author)
    }
    const originalOf = (postId: string) => {
      const original = this.#originals.get(postId)
      return original && getter(originalPlan, original)
    }
    const hidden = hiddenFrom(object, getter(plan, row), this.shown, authorOf, originalOf)
    if (hidden) {
      if (asked) this.errors.push(hiddenObject(hidden, { object, ...asked }))
      return false
    }
    return this.#mayReadAny(plan, row, asked)
  }

  /** Whether the viewer may read anything that was asked for of an object. The members of each private field that the viewer may not read are errors. */
  #mayReadAny({ object, placeOf }: ObjectPlan, row: ContentRow, asked: Omit<AskedFor, 'object'> | undefined): boolean {
    const selected = this.#plan.privateFields.get(object.kind)
    if (!selected) return true
    const ownerId = object.owner === undefined ? undefined : row[placeOf(object.owner)]
    const refused = selected.fields.filter((field) => !mayRead(field, ownerId, { viewerId: this.#viewerId, scopes: this.#scopes }))
    const key = row[placeOf(object.table.key)] as string
    for (const name of refused.flatMap(({ names }) => names)) this.errors.push(privateField(name, { object, key, asked }))
    return !selected.isNothingElseRequested || refused.length < selected.fields.length
  }

  /** The objects of `includes`, by kind, without repeats, in the order in which they are referred to. */
  includes(main: readonly ContentRow[]): ObjectRows[] {
    const chosen = new Map<string, Map<string, ContentRow>>()
    const added = new Map<AskedExpansion, readonly ContentRow[]>()
    for (const expansion of this.#plan.expansions) {
      const { to, after } = expansion
      const { placeOf, object } = this.#plan.included.get(to)!
      const key = placeOf(object.table.key)
      // What a post refers to is included only if the post itself is: it may be hidden, or be that of a hidden post.
      const rows = this.#shownBy(expansion, after ? added.get(after)! : main)
      added.set(expansion, rows)
      const ofKind = chosen.get(to) ?? new Map<string, ContentRow>()
      chosen.set(to, ofKind)
      for (const row of rows) ofKind.set(row[key] as string, row)
    }
    return [...chosen].map(([kind, rows]) => ({ plan: this.#plan.included.get(kind)!, rows: [...rows.values()] }))
  }

  /** What an expansion refers to from these rows, as far as it is shown, each object once. */
  #shownBy({ name, to, keysOf }: AskedExpansion, from: readonly ContentRow[]): ContentRow[] {
    const plan = this.#plan.included.get(to)!
    const loaded = this.#loaded.get(to)!.rows
    const shown: ContentRow[] = []
    for (const value of new Set(from.flatMap(keysOf))) {
      const row = loaded.get(value)
      const asked = { value, parameter: name, section: 'includes' as Section }
      if (!row) this.errors.push(hiddenObject('resource-not-found', { object: plan.object, ...asked }))
      else if (this.isShown(plan, row, asked)) shown.push(row)
    }
    return shown
  }
}
