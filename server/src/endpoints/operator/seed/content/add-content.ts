import { MINUTE_MS } from '../../../../lib/time.ts'
import type { Content, NewRelation, RelationPair } from '../../../../storage/content.ts'
import { lists, relationCounters, users } from '../../../../storage/content-tables.ts'
import { categoryOfKey } from '../../../media/categories.ts'
import { carriedMedia } from '../../../posts/attached-media.ts'
import { entitiesJson, mentionsIn } from '../../../posts/new-post.ts'
import type { ObjectKind } from '../content-words.ts'
import type { SeedDocument } from '../seed-document.ts'
import { addObjects, type Defaults } from './add-objects.ts'
import { addPosts, addReposts } from './add-posts.ts'
import { participantsIn } from './check-content.ts'
import { createdAtOf } from './content-ids.ts'
import { type ContentLoad, RELATIONS } from './content-load.ts'
import type { SeedObject, SeedObjects } from './content-objects.ts'
import { type RelationSeed, relationSeeds } from './relation-seeds.ts'

const nameOf = ({ relation, source, target }: RelationPair) => `${relation}:${source}:${target}`

/** The private lists among those that relations add members to. */
async function privateLists(content: Content, relations: readonly RelationPair[]): Promise<Set<string>> {
  const ids = new Set(relations.filter(({ relation }) => relation === 'list_member').map(({ source }) => source))
  const rows = await content.rows(lists, ['id', 'private'], [...ids])
  return new Set(rows.filter(([, isPrivate]) => isPrivate).map(([id]) => id as string))
}

/** Adds relations and counts those that are new. */
async function relate(load: ContentLoad, relations: readonly NewRelation[]): Promise<RelationPair[]> {
  const hidden = await privateLists(load.content, relations)
  return load.content.change(async (uncounted) => {
    const transaction = load.counting(uncounted)
    const created = await transaction.relateAll(relations)
    for (const pair of created)
      for (const { end, table, column, ofPublic } of relationCounters[pair.relation] ?? [])
        if (!ofPublic || !hidden.has(pair.source)) transaction.count(table, pair[end], column, 1)
    return created
  })
}

/** Adds relations whose reports nobody needs. */
const addPairs = (load: ContentLoad, pairs: readonly RelationPair[]): Promise<void> =>
  load.inBatches(
    pairs,
    async (batch) => {
      const relations = batch.map((pair) => ({ ...pair, position: load.services.ids.next() }))
      await relate(load, relations)
    },
    RELATIONS,
  )

/** Adds the relations of a seed. Those of a list or a space are reported only if that is not new. */
const addRelations = (
  load: ContentLoad,
  seeds: readonly RelationSeed[],
  newObjects: Readonly<Partial<Record<string, ReadonlySet<string>>>>,
): Promise<void> =>
  load.inBatches(
    seeds,
    async (batch) => {
      const relations = batch.map(({ relation, ends: [source, target] }) => ({ relation, source: source.key, target: target.key }))
      const positioned = relations.map((pair) => ({ ...pair, position: load.services.ids.next() }))
      const created = await relate(load, positioned)
      const names = new Set(created.map(nameOf))
      batch.forEach(({ reportedAs, isRecord, ends }, place) => {
        const isNew = names.delete(nameOf(relations[place]!))
        const id = `${ends[0].key}:${ends[1].key}`
        if (isRecord) load.report(reportedAs, isNew ? { id } : { id, differing: [] })
        else if (isNew && !ends.some(({ kind, key }) => newObjects[kind]?.has(key))) load.report(reportedAs, { id })
      })
    },
    RELATIONS,
  )

const DAY_MINUTES = 1440

const createdAt: Defaults = ({ key, values }, nowMs) => ({ created_at_ms: createdAtOf(key, values.created_at_ms, nowMs) })

/** What is stored of objects whose seed does not say it. Posts have more that follows from others. */
const objectDefaults: Record<Exclude<ObjectKind, 'posts' | 'direct_messages'>, Defaults> = {
  topics: () => ({ description: '' }),
  places: ({ values }) => ({ name: values.full_name, country: '', country_code: '', place_type: '' }),
  media: ({ key }, nowMs) => ({ created_at_ms: nowMs, view_count: 0, category: categoryOfKey(key) }),
  polls({ seed: { created_at }, values }, nowMs) {
    const minutes = (values.duration_minutes as number | undefined) ?? DAY_MINUTES
    const from = typeof created_at === 'string' ? Date.parse(created_at) : nowMs
    return { duration_minutes: minutes, end_ms: from + minutes * MINUTE_MS }
  },
  lists: (list, nowMs) => ({ ...createdAt(list, nowMs), description: '', private: false, member_count: 0, follower_count: 0 }),
  spaces({ values }, nowMs) {
    const createdAtMs = values.created_at_ms ?? nowMs
    return {
      title: '',
      lang: '',
      is_ticketed: false,
      created_at_ms: createdAtMs,
      updated_at_ms: createdAtMs,
      participant_count: 0,
      subscriber_count: 0,
      host_ids: [values.creator_id],
    }
  },
}

/** The same of direct messages: with the ids of those who are mentioned. */
const messageDefaults =
  (mentioned: ReadonlyMap<string, string>): Defaults =>
  (message, nowMs) => {
    const { text } = message.values
    const entities = typeof text === 'string' ? entitiesJson(text, mentioned) : null
    return { ...createdAt(message, nowMs), event_type: 'MessageCreate', entities: entities && JSON.parse(entities) }
  }

/** Who takes part in the conversations of messages: of a group those whom its events name. */
function participantsOf(messages: readonly SeedObject[]): RelationPair[] {
  const pairs = new Map<string, RelationPair>()
  for (const { values } of messages) {
    const source = values.conversation_id as string
    const joined = values.event_type === 'ParticipantsLeave' ? [] : ((values.participant_ids as string[] | undefined) ?? [])
    for (const target of [...participantsIn(source), values.sender_id as string, ...joined])
      pairs.set(`${source}:${target}`, { relation: 'dm_participant', source, target })
  }
  return [...pairs.values()]
}

const mediaOfMessage = ({ key, values }: SeedObject): RelationPair[] =>
  carriedMedia(values.conversation_id as string, (values.media_keys as string[] | undefined) ?? [], key)

async function addMessages(load: ContentLoad, messages: readonly SeedObject[]) {
  const keys = messages.flatMap(({ values: { text } }) => (typeof text === 'string' ? mentionsIn(text) : []))
  const mentioned = await load.content.rows(users, ['username_key', 'id'], [...new Set(keys)], 'username_key')
  const idsOf = new Map(mentioned.map(([key, id]) => [key as string, id as string]))
  const created = await addObjects(load, 'direct_messages', messages, messageDefaults(idsOf))
  const added = messages.filter(({ key }) => created.has(key))
  await addPairs(load, participantsOf(added))
  await addPairs(load, added.flatMap(mediaOfMessage))
}

/** Adds the data objects of a seed and the relations between them; its users exist. */
export async function addContent(load: ContentLoad, document: SeedDocument, objects: SeedObjects): Promise<void> {
  for (const kind of ['topics', 'places', 'media', 'polls'] as const) await addObjects(load, kind, objects[kind], objectDefaults[kind])
  await addPosts(load, objects.posts)
  await addReposts(load, document.reposts ?? [])
  const list = await addObjects(load, 'lists', objects.lists, objectDefaults.lists)
  const space = await addObjects(load, 'spaces', objects.spaces, objectDefaults.spaces)
  await addRelations(load, relationSeeds(document, objects), { list, space })
  await addMessages(load, objects.direct_messages)
}
