import type { DataObject } from '../../../../api/objects/data-object.ts'
import type { GiveWay } from '../../../../lib/fair-turns.ts'
import { DirectMessage } from '../../../objects/direct-message.ts'
import { List } from '../../../objects/list.ts'
import { Media } from '../../../objects/media.ts'
import { Place } from '../../../objects/place.ts'
import { Poll } from '../../../objects/poll.ts'
import { Post } from '../../../objects/post.ts'
import { Space } from '../../../objects/space.ts'
import { Topic } from '../../../objects/topic.ts'
import type { ContentSeed, ObjectKind } from '../content-words.ts'
import { createContentIds } from './content-ids.ts'
import { type SaidField, saidColumns, saidFields } from './said-fields.ts'

/** The data objects of a seed, by their member, in the order in which they are loaded. */
export const objectsByKind: Readonly<Record<ObjectKind, DataObject>> = {
  topics: Topic,
  places: Place,
  media: Media,
  polls: Poll,
  posts: Post,
  lists: List,
  spaces: Space,
  direct_messages: DirectMessage,
}

/** A data object of a seed, with its key, and what is stored of it. */
export interface SeedObject {
  /** Where it stands: `posts.3`. */
  path: string
  seed: ContentSeed
  key: string
  said: readonly SaidField[]
  /** The columns that the seed says. */
  values: Readonly<Record<string, unknown>>
}

export type SeedObjects = Readonly<Record<ObjectKind, SeedObject[]>>

/** The columns of which a seed says more than answers do. */
const MORE_COLUMNS: Partial<Record<ObjectKind, Readonly<Record<string, string>>>> = {
  posts: { nullcast: 'nullcast', hidden: 'hidden', restriction: 'restriction' },
  media: { owner_user_id: 'owner_id' },
}

const moreOf = (kind: ObjectKind, seed: ContentSeed): SaidField[] =>
  Object.entries(MORE_COLUMNS[kind] ?? {}).flatMap(([field, column]) =>
    seed[field] === undefined ? [] : [{ field, values: { [column]: seed[field] } }],
  )

/** Ids are compared as numbers where they are stored as such: `007` is `7`. */
const canonical = ({ table }: DataObject, key: string) => (table.columns[table.key] === 'bigid' ? String(BigInt(key)) : key)

function objectOf(kind: ObjectKind, seed: ContentSeed, path: string, key: string): SeedObject {
  const object = objectsByKind[kind]
  const said = [...saidFields(object, seed), ...moreOf(kind, seed)].filter(({ field }) => field !== object.table.key)
  return { path, seed, key: canonical(object, key), said, values: saidColumns(said) }
}

/** The options of a poll with their places and votes. */
const withOptions = (poll: ContentSeed): ContentSeed => ({
  ...poll,
  options: (poll.options as object[]).map((option, index) => ({ position: index + 1, votes: 0, ...option })),
})

/** The poll that stands inside a post. */
function pollOf({ poll, created_at }: ContentSeed, path: string, postKey: string): SeedObject[] {
  if (poll === undefined) return []
  const seed = withOptions({ ...(created_at !== undefined && { created_at }), ...(poll as ContentSeed) })
  return [objectOf('polls', seed, `${path}.poll`, (seed.id as string | undefined) ?? postKey)]
}

const attach = (seed: ContentSeed, [poll]: readonly SeedObject[]): ContentSeed =>
  poll ? { ...seed, attachments: { ...(seed.attachments as object), poll_ids: [poll.key] } } : seed

/** So many objects are looked at before others get their turn. */
const TURN = 20

/** Calls `look` for each item; others get their turn in between. */
export async function forEachInTurns<T>(items: readonly T[], look: (item: T, index: number) => void, giveWay: GiveWay): Promise<void> {
  for (const [index, item] of items.entries()) {
    look(item, index)
    if (index % TURN === TURN - 1) await giveWay()
  }
}

/** The data objects of a seed: each with a key, polls of posts among the polls. */
export async function seedObjects(
  document: Readonly<Partial<Record<ObjectKind, readonly ContentSeed[]>>>,
  giveWay: GiveWay,
): Promise<SeedObjects> {
  const found = Object.fromEntries(Object.keys(objectsByKind).map((kind) => [kind, [] as SeedObject[]])) as Record<ObjectKind, SeedObject[]>
  for (const kind of Object.keys(objectsByKind) as ObjectKind[]) {
    const idOf = createContentIds(kind)
    const { key } = objectsByKind[kind].table
    await forEachInTurns(
      document[kind] ?? [],
      (given, index) => {
        const path = `${kind}.${index}`
        const seed = kind === 'polls' ? withOptions(given) : given
        const id = (seed[key] as string | undefined) ?? idOf(given, kind)
        const polls = kind === 'posts' ? pollOf(seed, path, id) : []
        found.polls.push(...polls)
        found[kind].push(objectOf(kind, attach(seed, polls), path, id))
      },
      giveWay,
    )
  }
  return found
}
