import type { Params } from '../../api/declare/words.ts'
import type { Outbox } from '../../delivery/outbox.ts'
import type { Ids } from '../../lib/ids.ts'
import type { Content, ContentTransaction, RelationPair } from '../../storage/content.ts'
import { type Relation, relationCounters } from '../../storage/content-tables.ts'
import { pageOfItems } from '../objects/pages.ts'
import { Post } from '../objects/post.ts'
import { User } from '../objects/user.ts'
import { postKinds } from '../posts/post-kinds.ts'
import { userKinds } from '../users/user-kinds.ts'
import { eventsOfBegin, eventsOfEnd } from './relation-events.ts'
import { aPost, type RelationTarget, type TargetKind } from './relation-target.ts'
import { type SubjectList, subjectList } from './subject-list.ts'
import { type UserAction, userAction } from './user-action.ts'

interface RelationServices {
  content: Content
  outbox: Outbox
  ids: Ids
  now: () => number
}

type ListOfTargets = Pick<SubjectList, 'name' | 'summary' | 'rateLimit' | 'page'> & {
  /** Its path after the user; by default that of the relation. */
  path?: string
}

/** A relation that a user creates, removes and lists. */
interface RelationDeclaration extends Pick<UserAction<never>, 'create' | 'remove' | 'path' | 'removal' | 'done'> {
  relation: Relation
  target: TargetKind
  /** What the user does, for messages: `like`. */
  verb: string
  scopes: { write: readonly string[]; read: readonly string[] }
  /** The targets of a user, newest first. Only the user may read them if `isPrivate`. */
  list: ListOfTargets
  isPrivate?: true
  /** Further members of the answer to the creation, and their values. */
  more?: { words: Params; values: Record<string, unknown> }
  /** Runs before the relation is created: throws a refusal, or returns what is answered instead of creating it. */
  before?(transaction: ContentTransaction, pair: RelationPair, target: RelationTarget): Promise<Record<string, unknown> | undefined>
  /** The relations that end when it is created. Their ends are no events: they would tell of a block, which is private. */
  ends?(pair: RelationPair): readonly RelationPair[]
}

/** Removes a relation with what it counted for. False if there is none. */
async function removeRelation(transaction: ContentTransaction, pair: RelationPair): Promise<boolean> {
  const isRemoved = await transaction.unrelate(pair)
  if (isRemoved) countRelation(transaction, pair, -1)
  return isRemoved
}

function countRelation(transaction: ContentTransaction, pair: RelationPair, by: 1 | -1) {
  for (const { end, table, column } of relationCounters[pair.relation] ?? []) transaction.count(table, pair[end], column, by)
}

/** Creates a relation, unless it exists; what is answered. */
async function createRelation(
  { target, verb, before, ends, done, more }: RelationDeclaration,
  { pair, authorId }: { pair: RelationPair; authorId: string | undefined },
  { outbox, ids, now }: RelationServices,
): Promise<Record<string, unknown>> {
  const answer = { [done]: true, ...more?.values }
  const [position, atMs] = [ids.next(), now()]
  const begun = eventsOfBegin({ ...pair, position, authorId, atMs })
  return outbox.change(begun, async (transaction, announce) => {
    await target.lock(transaction, pair)
    const found = await target.admit(transaction, pair, verb)
    if (before) {
      if (await transaction.hasRelation(pair)) return answer
      const instead = await before(transaction, pair, found)
      if (instead) return instead
    }
    if (!(await transaction.relate(pair, position))) return answer
    countRelation(transaction, pair, 1)
    for (const one of ends?.(pair) ?? []) await removeRelation(transaction, one)
    await announce(begun)
    return answer
  })
}

/** Declares a relation's endpoints: `POST` and `DELETE` of one, and the list of a user's targets. */
export function relationEndpoints(declared: RelationDeclaration) {
  const { relation, target, verb, done, path, scopes, list, isPrivate, more, create, remove, removal } = declared
  return {
    ...userAction<RelationServices>({
      create,
      remove,
      removal,
      path,
      done,
      target: target.parameter,
      scopes: scopes.write,
      more: more?.words,
      problems: target === aPost ? [] : ['resource-not-found'],
      async act({ caller: { user }, targetId }, services) {
        const found = await target.find(services.content, user.id, targetId, verb)
        const pair = { relation, source: user.id, target: found.id }
        return createRelation(declared, { pair, authorId: found.authorId }, services)
      },
      async undo({ caller: { user }, targetId }, { content, outbox, now }) {
        const pair = { relation, source: user.id, target: await target.storedId(content, targetId) }
        const events = eventsOfEnd({ ...pair, atMs: now() })
        await outbox.change(events, async (transaction, announce) => {
          await target.lock(transaction, pair)
          if (await removeRelation(transaction, pair)) await announce(events)
        })
      },
    }),
    list: subjectList(target === aPost ? postKinds : userKinds, {
      name: list.name,
      summary: list.summary,
      rateLimit: list.rateLimit,
      page: list.page,
      scopes: scopes.read,
      isPrivate,
      route: `GET /2/users/:id/${list.path ?? path}`,
      subject: User,
      read: (content, id, params) => pageOfItems(content, { of: 'targets', relation, source: id }, `${relation}-of-${id}`, params),
    }),
  }
}

type ListOfSources = Pick<SubjectList, 'name' | 'route' | 'summary' | 'rateLimit' | 'page' | 'scopes'>

/** Declares the list of users who have a relation to a post or a user, newest first. */
export const relationSources = (relation: Relation, to: TargetKind, declared: ListOfSources) =>
  subjectList(userKinds, {
    ...declared,
    subject: to === aPost ? Post : User,
    read: (content, id, params) => pageOfItems(content, { of: 'sources', relation, target: id }, `${relation}-to-${id}`, params),
  })
