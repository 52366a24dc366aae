import { serverUrl } from './base.ts'
import { type Json, readJson } from './exact-json.ts'

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
