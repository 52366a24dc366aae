import { type ErrorDetail, invalidRequest } from '../../../../api/declare/problem.ts'
import type { GiveWay } from '../../../../lib/fair-turns.ts'
import type { Content } from '../../../../storage/content.ts'
import { users } from '../../../../storage/content-tables.ts'
import { objectOfKind } from '../../../objects/index.ts'
import { User } from '../../../objects/user.ts'
import type { ContentSeed, ObjectKind } from '../content-words.ts'
import type { SeedDocument } from '../seed-document.ts'
import { forEachInTurns, objectsByKind, type SeedObject, type SeedObjects } from './content-objects.ts'
import { type RelationSeed, relationSeeds } from './relation-seeds.ts'
import { saidColumns, saidFields } from './said-fields.ts'

/** So many keys are looked up with one statement. */
const BATCH = 500

const inBatches = (keys: readonly string[]) =>
  Array.from({ length: Math.ceil(keys.length / BATCH) }, (_, index) => keys.slice(index * BATCH, (index + 1) * BATCH))

/** What the records of a seed refer to, by the kind of the object and its key, with the places that do. */
class References {
  readonly #wanted = new Map<string, Map<string, string[]>>()

  add(kind: string, key: string, path: string) {
    const keys = this.#wanted.get(kind) ?? new Map<string, string[]>()
    this.#wanted.set(kind, keys)
    const paths = keys.get(key)
    if (paths) paths.push(path)
    else keys.set(key, [path])
  }

  /** An error for each reference to an object that neither the seed nor the database has. */
  async missing(
    content: Pick<Content, 'rows'>,
    isInSeed: (kind: string, key: string) => boolean,
    giveWay: GiveWay,
  ): Promise<ErrorDetail[]> {
    const errors: ErrorDetail[] = []
    for (const [kind, keys] of this.#wanted) {
      const { table, title } = objectOfKind(kind)
      for (const batch of inBatches([...keys.keys()].filter((key) => !isInSeed(kind, key)))) {
        await giveWay()
        const found = new Set((await content.rows(table, [table.key], batch)).map(([key]) => key))
        for (const key of batch.filter((key) => !found.has(key)))
          for (const path of keys.get(key)!)
            errors.push({ message: `$.${path}: there is no ${title} ${key}`, parameters: { [path]: [key] } })
      }
    }
    return errors
  }
}

/** What an object refers to by its expansions, and whose it is. */
function addReferences(
  references: References,
  { expansions, owner, table }: (typeof objectsByKind)[ObjectKind],
  values: Readonly<Record<string, unknown>>,
  path: string,
) {
  for (const { to, field, columns, compile, after } of new Set(Object.values(expansions))) {
    if (after !== undefined) continue
    // A row as the database has it, where JSON is text.
    const row = columns.map((column) => {
      const value = values[column] ?? null
      return table.columns[column] === 'json' && value !== null ? JSON.stringify(value) : value
    })
    for (const key of compile((column) => columns.indexOf(column))(row)) references.add(to, key, `${path}.${field}`)
  }
  const ownerId = owner !== undefined && !Object.values(expansions).some(({ columns }) => columns.includes(owner)) && values[owner]
  if (typeof ownerId === 'string' && owner !== table.key) references.add('user', ownerId, `${path}.owner_user_id`)
}

/** An object whose id has to grow with time needs one, or a time to make it of. */
const withoutTime = (kind: ObjectKind, { seed, path }: SeedObject): ErrorDetail[] =>
  (kind === 'posts' || kind === 'direct_messages') && seed.id === undefined && seed.created_at === undefined
    ? [{ message: `$.${path}.created_at: is required without an id`, parameters: { [`${path}.created_at`]: [] } }]
    : []

/** The participants of a conversation between two, in its id; none of a group. */
export const participantsIn = (conversationId: string): string[] => (conversationId.includes('-') ? conversationId.split('-') : [])

function wrongConversation({ seed, path }: SeedObject): ErrorDetail[] {
  const { dm_conversation_id: id, sender_id: sender } = seed as { dm_conversation_id: string; sender_id: string }
  const participants = participantsIn(id)
  if (participants.length === 0) return []
  const error = (field: string, value: string, what: string) => [
    { message: `$.${path}.${field}: ${what}`, parameters: { [`${path}.${field}`]: [value] } },
  ]
  const [one, other] = participants.map(BigInt) as [bigint, bigint]
  if (one >= other) return error('dm_conversation_id', id, 'must be two user ids, the smaller one first')
  return participants.includes(sender) ? [] : error('sender_id', sender, 'must be one of the conversation')
}

/** The ids of users that the seed creates, or finds. One whose username another user has will not have its id. */
async function userIdsOf(given: readonly ContentSeed[], content: Pick<Content, 'rows'>): Promise<Set<string>> {
  const pinned = new Map(
    given.filter(({ id }) => id !== undefined).map(({ id, username }) => [(username as string).toLowerCase(), id as string]),
  )
  const found = await content.rows(users, ['username_key', 'id'], [...pinned.keys()], 'username_key')
  for (const [key, id] of found) pinned.set(key as string, id as string)
  return new Set(pinned.values())
}

/** Throws `invalid-request` with every reference of the data objects of a seed that leads nowhere, before anything of it is stored. */
export async function checkContent(
  document: SeedDocument,
  objects: SeedObjects,
  content: Pick<Content, 'rows'>,
  giveWay: GiveWay,
): Promise<void> {
  const references = new References()
  const errors: ErrorDetail[] = []
  document.users?.forEach((seed, index) => void addReferences(references, User, saidColumns(saidFields(User, seed)), `users.${index}`))
  for (const kind of Object.keys(objects) as ObjectKind[])
    await forEachInTurns(
      objects[kind],
      (object) => {
        addReferences(references, objectsByKind[kind], object.values, object.path)
        errors.push(...withoutTime(kind, object), ...(kind === 'direct_messages' ? wrongConversation(object) : []))
        if (kind === 'direct_messages')
          for (const id of participantsIn(object.seed.dm_conversation_id as string))
            references.add('user', id, `${object.path}.dm_conversation_id`)
      },
      giveWay,
    )
  document.reposts?.forEach(({ user_id, post_id }, index) => {
    references.add('user', user_id, `reposts.${index}.user_id`)
    references.add('post', String(BigInt(post_id)), `reposts.${index}.post_id`)
  })
  const between = relationSeeds(document, objects)
  for (const { ends } of between) for (const { kind, key, path } of ends) references.add(kind, key, path)
  errors.push(...between.flatMap((relation) => withItself(relation)))
  const userIds = await userIdsOf(document.users ?? [], content)
  const keys = new Map(
    Object.entries(objects).map(([kind, list]) => [objectsByKind[kind as ObjectKind].kind, new Set(list.map(({ key }) => key))]),
  )
  errors.push(
    ...(await references.missing(content, (kind, key) => (kind === 'user' ? userIds : keys.get(kind))?.has(key) ?? false, giveWay)),
  )
  if (errors.length > 0) throw invalidRequest(errors)
}

function withItself({ ends: [source, target] }: RelationSeed): ErrorDetail[] {
  if (source.kind !== target.kind || source.key !== target.key) return []
  return [{ message: `$.${target.path}: must be another user than ${source.path}`, parameters: { [target.path]: [target.key] } }]
}
