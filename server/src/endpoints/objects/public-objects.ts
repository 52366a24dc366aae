import { dialects } from '../../api/declare/dialect.ts'
import type { DataObject } from '../../api/objects/data-object.ts'
import type { Kinds } from '../../api/objects/selection.ts'
import type { Content } from '../../storage/content.ts'
import { users } from '../../storage/content-tables.ts'
import { loadAnswer } from './load-answer.ts'
import { Post } from './post.ts'
import { User } from './user.ts'

export type Reads = Pick<Content, 'rows' | 'relationsOf'>

/** The fields that everybody reads. */
const publicFields = ({ fields }: DataObject) => Object.entries(fields).flatMap(([name, { only }]) => (only === undefined ? [name] : []))

/** Selects everything that is public of users and posts. */
export const PUBLIC_FIELDS = { 'post.fields': publicFields(Post), 'user.fields': publicFields(User) }

// biome-ignore lint/suspicious/noExplicitAny: data objects have members of every kind
export type ObjectJson = Record<string, any>

interface AnswerJson {
  data?: ObjectJson | ObjectJson[]
  includes?: Record<string, ObjectJson[]>
}

/** Events have each counter a second time, as text (§6.8). */
function withTextCounts(object: ObjectJson): ObjectJson {
  const { public_metrics: counts } = object
  if (counts === undefined) return object
  const texts = Object.entries(counts).map(([name, count]) => [`${name}_str`, String(count)])
  return { ...object, public_metrics: { ...counts, ...Object.fromEntries(texts) } }
}

const eachWithTextCounts = ({ data, includes }: AnswerJson): AnswerJson => ({
  ...(data && { data: Array.isArray(data) ? data.map(withTextCounts) : withTextCounts(data) }),
  ...(includes && {
    includes: Object.fromEntries(Object.entries(includes).map(([name, objects]) => [name, objects.map(withTextCounts)])),
  }),
})

/**
 * What an event says of objects: as v2 answers them to a viewer, in the words of the specification, with counters as text too. What the viewer
 * may not see is left out.
 */
export async function answerJson(
  kinds: Kinds,
  asked: { values: readonly string[]; isList: boolean },
  shape: Readonly<Record<string, unknown>>,
  { reads, viewerId, nowMs }: { reads: Reads; viewerId?: string; nowMs: number },
): Promise<AnswerJson> {
  const answer = await loadAnswer(kinds, asked, shape, { viewerId }, { content: reads, now: () => nowMs })
  return eachWithTextCounts(JSON.parse(answer.write({ dialect: dialects.spec, problemBaseUrl: '' })))
}

/** Of users whom v2 does not show, because they are suspended, what names them. */
async function namesOf(reads: Reads, ids: readonly string[]): Promise<ObjectJson[]> {
  const rows = await reads.rows(users, ['id', 'name', 'username'], ids)
  return rows.map(([id, name, username]) => ({ id, name, username }))
}

/** Users with everything that is public of them, by id. Of those who are suspended there is only what names them, of those who are gone the id. */
export async function publicUsers(reads: Reads, ids: readonly string[], nowMs: number): Promise<Map<string, ObjectJson>> {
  const { data = [] } = await answerJson([User, Post], { values: ids, isList: true }, PUBLIC_FIELDS, { reads, nowMs })
  const shown = new Map((data as ObjectJson[]).map((user) => [user.id as string, user]))
  const missing = ids.filter((id) => !shown.has(id))
  const named = missing.length > 0 ? await namesOf(reads, missing) : []
  const all = new Map([...shown.values(), ...named].map((user) => [user.id as string, user]))
  return new Map(ids.map((id) => [id, all.get(id) ?? { id }]))
}
