import { bodies, bytes, contentTypes, credentials, otherHeaders, pathPieces, queryPieces, targets, verbs } from './pieces.ts'
import type { Random } from './random.ts'
import { hostileJson, hostileTexts } from './texts.ts'
import type { RequestParts } from './valid-requests.ts'

/** One way to break a request. */
export type Mutation = (parts: RequestParts, random: Random) => void

const header = ({ headers }: RequestParts, name: string) => headers.find(([other]) => other === name)

function setHeader(parts: RequestParts, name: string, value: string) {
  const found = header(parts, name)
  if (found) found[1] = value
  else parts.headers.push([name, value])
}

const bodyText = (parts: RequestParts) =>
  parts.members ? `{${parts.members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}` : (parts.body?.toString() ?? '{}')

/** Writes the members out, so that what follows breaks their bytes. */
function asBytes(parts: RequestParts): Buffer {
  const body = parts.body ?? Buffer.from(bodyText(parts))
  parts.members = undefined
  parts.body = body
  return body
}

const otherValue: Mutation = (parts, random) => {
  if (parts.members?.length) parts.members[random.below(parts.members.length)]![1] = random.pick(hostileJson)
  else parts.query = parts.query.replace(/=[^&]*/, `=${encodeURIComponent(random.pick(hostileTexts))}`)
}

const deepValue: Mutation = (parts, random) => {
  const places = parts.members?.filter(([, json]) => /[[{]/.test(json)) ?? []
  if (places.length === 0) return otherValue(parts, random)
  const member = random.pick(places)
  const inner = [...member[1].matchAll(/"[^"]*"(?!\s*:)|[\d.]+/g)]
  if (inner.length === 0) return
  const { index, 0: found } = random.pick(inner)
  member[1] = member[1].slice(0, index) + random.pick(hostileJson) + member[1].slice(index + found.length)
}

const memberNames = ['a', '', '__proto__', 'constructor', 'a.b', '🐚', 'tweet', 'post', '\u0000', 'id', 'webhook_id', '$ref']

/** Each kind of breakage, as often as it is named. */
export const mutations: readonly Mutation[] = [
  (parts, random) => Object.assign(parts, { method: random.pick(verbs) }),
  (parts, random) => {
    const at = random.below(parts.path.length + 1)
    parts.path = parts.path.slice(0, at) + random.pick(pathPieces) + parts.path.slice(at)
  },
  (parts, random) => Object.assign(parts, { path: parts.path.replace(/[^/]+$/, encodeURIComponent(random.pick(hostileTexts))) }),
  (parts, random) => Object.assign(parts, { path: random.pick(targets) }),
  (parts, random) => Object.assign(parts, { query: [parts.query, random.pick(queryPieces)].filter(Boolean).join('&') }),
  otherValue,
  otherValue,
  deepValue,
  deepValue,
  (parts, random) => void parts.members?.push([random.pick(memberNames), random.pick(hostileJson)]),
  (parts, random) => void parts.members?.splice(random.below(parts.members.length), 1),
  (parts, random) => void parts.members?.push([...random.pick(parts.members.length ? parts.members : [['a', '1'] as [string, string]])]),
  (parts, random) => void parts.headers.push(random.pick(otherHeaders)),
  (parts, random) => void (parts.headers.length > 0 && parts.headers.push([...random.pick(parts.headers)])),
  (parts, random) => void parts.headers.splice(random.below(parts.headers.length), 1),
  (parts) => void parts.headers.push(...Array.from({ length: 900 }, (_, place): [string, string] => [`a${place}`, 'b'])),
  (parts, random) => setHeader(parts, 'Content-Type', random.pick(contentTypes)),
  (parts, random) => setHeader(parts, 'Authorization', random.pick(credentials)),
  (parts, random) => {
    const body = asBytes(parts)
    parts.body = body.subarray(0, random.below(body.length))
  },
  (parts, random) => {
    const body = Buffer.from(asBytes(parts))
    if (body.length > 0) body[random.below(body.length)] = random.below(256)
    parts.body = body
  },
  (parts, random) => {
    parts.members = undefined
    parts.body = random.pick(random.below(2) === 0 ? bodies : bytes)
  },
]
