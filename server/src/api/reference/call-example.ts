import type { DescribedApi, Located, Operation, Schema } from './described-api.ts'

const byType: Record<string, unknown> = { string: 'text', integer: 1, number: 1, boolean: true }

/** A value that a schema allows: its own example, or else the plainest one. */
function exampleOf(schema: Schema): unknown {
  const { examples, enum: values, anyOf, items, properties, required = [] } = schema
  if (examples?.length) return examples[0]
  if ('const' in schema) return schema.const
  if (schema.default !== undefined) return schema.default
  if (values) return values.find((value) => value !== null)
  if (anyOf) return exampleOf(anyOf[0]!)
  if (items) return [exampleOf(items)]
  if (properties) return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]))
  const type = [schema.type].flat().find((one) => one !== 'null')
  return type === 'object' ? {} : (byType[type ?? 'string'] ?? 'text')
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

const asText = (value: unknown) => (typeof value === 'string' ? value : Array.isArray(value) ? value.join(',') : JSON.stringify(value))

/** How each kind of credentials is given to curl; those that are signed need a client that can sign. */
const CURL_CREDENTIALS: Record<string, string> = {
  bearerToken: '-H "Authorization: Bearer $BEARER_TOKEN"',
  oauth2User: '-H "Authorization: Bearer $ACCESS_TOKEN"',
  appPassword: '-u "$CONSUMER_KEY:$CONSUMER_SECRET"',
  oauth2Client: '-u "$CLIENT_ID:$CLIENT_SECRET"',
  operatorToken: '-H "Authorization: Bearer $OPERATOR_TOKEN"',
}

function urlOf({ path, operation }: Located, { servers }: DescribedApi): string {
  const parameters = operation.parameters ?? []
  const exampleFor = (name: string) => asText(exampleOf(parameters.find((one) => one.name === name)?.schema ?? {}))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(exampleFor(name)))
  const query = parameters.filter((one) => one.in === 'query' && one.required)
  const search = new URLSearchParams(query.map(({ name }) => [name, exampleFor(name)]))
  return `${(operation.servers ?? servers)[0]!.url}${filled}${search.size > 0 ? `?${search}` : ''}`
}

/** The members that a call must send, or else the first that has an example: most endpoints refuse a body without any. */
function givenOf({ required = [], properties = {} }: Schema): [string, unknown][] {
  const first = Object.keys(properties).find((name) => properties[name]!.examples?.length)
  const names = required.length > 0 || first === undefined ? required : [first]
  return names.map((name) => [name, exampleOf(properties[name] ?? {})])
}

function bodyOf({ requestBody }: Operation): { type: string; schema: Schema } | undefined {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  return type && content?.schema ? { type, schema: content.schema } : undefined
}

/** The same call by the command line, which signs as the demo user. */
function signed(located: Located, api: DescribedApi): string {
  const body = bodyOf(located.operation)
  const given = givenOf(body?.schema ?? {}).map(([name, value]) => quoted(`${name}=${asText(value)}`))
  return ['npx postern call', located.method, quoted(urlOf(located, api)), ...given].join(' ')
}

/** A command to paste that makes the call with its required parameters, or with one where none is. */
export function callExample(located: Located, api: DescribedApi): string {
  const { method, operation } = located
  const ways = (operation.security ?? []).flatMap((way) => Object.keys(way))
  const known = ways.find((name) => name in CURL_CREDENTIALS)
  if (ways.length > 0 && known === undefined) return signed(located, api)
  const body = bodyOf(operation)
  const data = () => {
    if (body === undefined || (body.schema.properties && givenOf(body.schema).length === 0)) return []
    if (body.type === 'application/json')
      return [
        "-H 'Content-Type: application/json'",
        `-d ${quoted(JSON.stringify(body.schema.properties ? Object.fromEntries(givenOf(body.schema)) : exampleOf(body.schema)))}`,
      ]
    return givenOf(body.schema).map(([name, value]) => `--data-urlencode ${quoted(`${name}=${asText(value)}`)}`)
  }
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(urlOf(located, api))}`,
    ...(known ? [CURL_CREDENTIALS[known]!] : []),
    ...data(),
  ]
  return lines.join(' \\\n  ')
}
