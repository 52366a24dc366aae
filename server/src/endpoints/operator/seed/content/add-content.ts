import type { RelationPair } from '../../../../storage/content.ts'
import { users } from '../../../../storage/content-tables.ts'
import { carriedMedia } from '../../../posts/attached-media.ts'
import { mentionsIn } from '../../../posts/new-post.ts'
import type { SeedDocument } from '../seed-document.ts'
import { addObjects } from './add-objects.ts'
import { addPosts, addReposts } from './add-posts.ts'
import { addPairs, addRelations } from './add-relations.ts'
import { participantsIn } from './check-content.ts'
import type { ContentLoad } from './content-load.ts'
import type { SeedObject, SeedObjects } from './content-objects.ts'
import { messageDefaults, objectDefaults } from './object-defaults.ts'
import { relationSeeds } from './relation-seeds.ts'

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
