import type { Relation } from '../../../../storage/content-tables.ts'
import type { RelationKind } from '../content-words.ts'
import type { SeedDocument } from '../seed-document.ts'
import type { SeedObjects } from './content-objects.ts'

interface End {
  /** The kind of the object, as objects are named. */
  kind: 'user' | 'post' | 'list' | 'space'
  key: string
  path: string
}

/** A relation of a seed. */
export interface RelationSeed {
  /** What a report calls it. */
  reportedAs: string
  /** False for a relation that is a part of its source, and is reported only where that existed already. */
  isRecord: boolean
  relation: Relation
  ends: readonly [source: End, target: End]
}

const relationOf: Record<RelationKind, Relation> = {
  follows: 'follow',
  mutes: 'mute',
  blocks: 'block',
  likes: 'like',
  bookmarks: 'bookmark',
}

const postId = (id: string) => String(BigInt(id))

/** A relation of a list, by the member of its seed: whether the list is the source. */
const OF_LIST = {
  members: { relation: 'list_member', reportedAs: 'list_members', isSource: true },
  followers: { relation: 'list_follower', reportedAs: 'list_followers', isSource: false },
  pinned_by: { relation: 'list_pin', reportedAs: 'list_pins', isSource: false },
} as const

function ofLists({ lists }: SeedObjects): RelationSeed[] {
  return lists.flatMap(({ key, path, seed }) =>
    Object.entries(OF_LIST).flatMap(([member, { relation, reportedAs, isSource }]) =>
      ((seed[member] as string[] | undefined) ?? []).map((userId, index): RelationSeed => {
        const list: End = { kind: 'list', key, path }
        const user: End = { kind: 'user', key: userId, path: `${path}.${member}.${index}` }
        return { relation, reportedAs, isRecord: false, ends: isSource ? [list, user] : [user, list] }
      }),
    ),
  )
}

const ofSpaces = ({ spaces }: SeedObjects): RelationSeed[] =>
  spaces.flatMap(({ key, path, seed }) =>
    ((seed.buyers as string[] | undefined) ?? []).map((userId, index): RelationSeed => {
      const buyer: End = { kind: 'user', key: userId, path: `${path}.buyers.${index}` }
      return { reportedAs: 'space_buyers', isRecord: false, relation: 'space_buyer', ends: [{ kind: 'space', key, path }, buyer] }
    }),
  )

/** The relations of a seed, in the order in which they come about. */
export function relationSeeds(document: SeedDocument, objects: SeedObjects): RelationSeed[] {
  const user = (key: string, path: string): End => ({ kind: 'user', key, path })
  const between = (['follows', 'mutes', 'blocks'] as const).flatMap((kind) =>
    (document[kind] ?? []).map(({ user_id, target_user_id }, index): RelationSeed => {
      const ends = [user(user_id, `${kind}.${index}.user_id`), user(target_user_id, `${kind}.${index}.target_user_id`)] as const
      return { reportedAs: kind, isRecord: true, relation: relationOf[kind], ends }
    }),
  )
  const toPosts = (['likes', 'bookmarks'] as const).flatMap((kind) =>
    (document[kind] ?? []).map(({ user_id, post_id }, index): RelationSeed => {
      const post: End = { kind: 'post', key: postId(post_id), path: `${kind}.${index}.post_id` }
      return { reportedAs: kind, isRecord: true, relation: relationOf[kind], ends: [user(user_id, `${kind}.${index}.user_id`), post] }
    }),
  )
  return [...between, ...toPosts, ...ofLists(objects), ...ofSpaces(objects)]
}
