import type { Credentials } from './credentials.ts'
import { type Framing, framings } from './framings.ts'
import { type Mutation, mutations } from './mutations.ts'
import { createRandom, type Random } from './random.ts'
import { endpoints, type RequestParts, validRequest } from './valid-requests.ts'

/** A request as its bytes. */
export interface MalformedRequest {
  bytes: Buffer
  isHead: boolean
  /** Its length is not what it says, so that nothing can follow it on its connection. */
  isLast: boolean
  /** It ends before it is whole. */
  isCut: boolean
}

const ONE_FRAMING_IN = 8
const MOST_MUTATIONS = 3

const bodyOf = ({ members, body }: RequestParts): Buffer | undefined =>
  members ? Buffer.from(`{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`) : body

function write(parts: RequestParts, framing: Framing | undefined, random: Random): MalformedRequest {
  const { method, path, query, headers } = parts
  const body = bodyOf(parts)
  const {
    lines,
    bytes,
    isCut = false,
  } = framing?.(body ?? Buffer.alloc(0), random) ?? {
    lines: body ? [`Content-Length: ${body.length}`] : [],
    bytes: body ?? Buffer.alloc(0),
    isCut: false,
  }
  const head = [`${method} ${path}${query && `?${query}`} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`), ...lines]
  return {
    bytes: Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]),
    isHead: method === 'HEAD',
    isLast: framing !== undefined,
    isCut,
  }
}

/** So many requests, the same for the same seed: valid ones over the whole map, each broken in one to three ways. */
export function* malformedRequests(seed: number, count: number, credentials: Credentials): Generator<MalformedRequest> {
  const random = createRandom(seed)
  for (let made = 0; made < count; made += 1) {
    const parts = validRequest(random.pick(endpoints), credentials)
    const framing = random.below(ONE_FRAMING_IN) === 0 ? random.pick(framings) : undefined
    const breaks: Mutation[] = Array.from({ length: 1 + random.below(MOST_MUTATIONS) }, () => random.pick(mutations))
    for (const mutate of framing ? breaks.slice(1) : breaks) mutate(parts, random)
    yield write(parts, framing, random)
  }
}
