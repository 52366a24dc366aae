import { serverUrl } from './base.ts'
import { type Json, readJson, writeJson } from './exact-json.ts'

/** As much of JSON Schema as descriptions of events use. */
export interface Schema {
  type?: string
  description?: string
  format?: string
  enum?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  additionalProperties?: Schema
  $ref?: string
}

/** What an event of a type carries, and an example of it. */
export interface DescribedPayload {
  schema: Schema
  example: Json
  /** What a schema refers to. */
  named: Readonly<Record<string, Schema>>
}

interface Description {
  webhooks: Record<
    string,
    { post: { requestBody: { content: Record<string, { schema: Schema; example: { data: { payload: unknown } } }> } } }
  >
  components: { schemas: Record<string, Schema> }
}

let reading: Promise<Description> | undefined

/** The description is large: it is read once, when the first form is shown. */
function readDescription(): Promise<Description> {
  reading ??= fetch(serverUrl('openapi.json')).then((answer) => {
    if (!answer.ok) throw new Error(`/openapi.json answered ${answer.status}`)
    return answer.json()
  })
  reading.catch(() => {
    reading = undefined
  })
  return reading
}

/** Undefined where the description is not beside the console: the operator has a port of its own, or it was not read. */
export async function describedPayload(eventType: string): Promise<DescribedPayload | undefined> {
  const description = await readDescription().catch(() => undefined)
  const body = description?.webhooks[eventType]?.post.requestBody.content['application/json']
  const schema = body?.schema.properties?.data?.properties?.payload
  if (!schema) return undefined
  return { schema, example: readJson(JSON.stringify(body.example.data.payload)), named: description!.components.schemas }
}

export const resolve = (schema: Schema | undefined, named: DescribedPayload['named']): Schema =>
  (schema?.$ref === undefined ? schema : named[schema.$ref.split('/').at(-1)!]) ?? {}

const isLeaf = (value: Json) =>
  (value.type !== 'object' && value.type !== 'array') ||
  (value.type === 'array' && value.items.every(({ type }) => type !== 'object' && type !== 'array'))

/** The members of a value at any depth that hold no others, each with its name and that of the member at the top that it is in. */
function leavesOf(value: Json, name = '', top = '', path = ''): { name: string; top: string; path: string; value: Json }[] {
  if (isLeaf(value)) return [{ name, top, path, value }]
  if (value.type === 'array') return value.items.flatMap((item, place) => leavesOf(item, name, top, `${path}.${place}`))
  if (value.type !== 'object') return []
  return value.members.flatMap(([inner, member]) => leavesOf(member, inner, top || inner, `${path}.${inner}`))
}

/**
 * What of an example was changed, as `POST /operator/trigger` takes it: a member by its name where only one has it, so that the others are as
 * the server makes them; otherwise the whole member at the top.
 */
export function changesOf(example: Json, edited: Json): Record<string, Json> {
  const former = leavesOf(example)
  const formerAt = new Map(former.map(({ path, value }) => [path, writeJson(value, '')]))
  const tops = edited.type === 'object' ? new Map(edited.members) : new Map<string, Json>()
  const changes: Record<string, Json> = {}
  for (const { name, top, path, value } of leavesOf(edited)) {
    if (formerAt.get(path) === writeJson(value, '')) continue
    const isAlone = former.filter((one) => one.name === name).length === 1
    changes[isAlone ? name : top] = isAlone ? value : tops.get(top)!
  }
  return changes
}
