import { publicId, sequenceAt } from '../../src/lib/ids.ts'
import { HOUR_MS } from '../../src/lib/time.ts'
import { createZipf, Random } from './random.ts'
import { nameOf, sentenceOf, wordOf } from './vocabulary.ts'

/** What a world is made of. The same options make the same rows. */
export interface WorldOptions {
  users: number
  posts: number
  random: number
  /** The time of the last post. */
  untilMs: number
}

export interface GeneratedUser {
  id: string
  username: string
  name: string
  description: string
  location: string
  createdAtMs: number
  isVerified: boolean
  isProtected: boolean
}

export interface GeneratedFollow {
  source: number
  target: number
  position: string
}

const FIRST_MS = Date.parse('2015-01-01T00:00:00.000Z')
/** How many others a user follows, on average. */
const FOLLOWS = 12

/** The users of a world, with those whom each of them follows, by their places. */
export function generateUsers({ users, random: seed }: WorldOptions): { users: GeneratedUser[]; follows: GeneratedFollow[] } {
  const random = new Random(seed)
  const generated = Array.from({ length: users }, (_, place): GeneratedUser => {
    const createdAtMs = FIRST_MS + place * HOUR_MS
    const id = publicId(sequenceAt(createdAtMs), seed & 0x3ff)
    const username = `${wordOf(random).slice(0, 8)}_${(place + 1).toString(36)}`
    return {
      id,
      username,
      name: nameOf(random),
      description: sentenceOf(random, 6),
      location: random.chance(0.4) ? nameOf(random) : '',
      createdAtMs,
      isVerified: random.chance(0.02),
      isProtected: random.chance(0.01),
    }
  })
  const popular = createZipf(users)
  const follows: GeneratedFollow[] = []
  for (let source = 0; source < users; source += 1) {
    const targets = new Set<number>()
    for (let count = Math.min(users - 1, random.geometric(FOLLOWS)); count > 0; count -= 1) targets.add(popular(random))
    targets.delete(source)
    for (const target of targets) follows.push({ source, target, position: positionOf(follows.length) })
  }
  return { users: generated, follows }
}

/** After all users exist, one after the other. */
const FOLLOWED_FROM_MS = Date.parse('2025-01-01T00:00:00.000Z')
const positionOf = (index: number) => publicId(sequenceAt(FOLLOWED_FROM_MS) + index)
