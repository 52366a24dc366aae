import { createHash } from 'node:crypto'
import { momentOf, publicId, sequenceAt, sequenceOf } from '../../../../lib/ids.ts'
import { writeExactJson } from '../../../../lib/numbers.ts'
import { HOUR_MS } from '../../../../lib/time.ts'
import { type MediaCategory, mediaKey } from '../../../media/categories.ts'
import type { ContentSeed, ObjectKind } from '../content-words.ts'

/** The categories of media that are seeded without a key, by type. */
const categories: Readonly<Record<string, MediaCategory>> = { photo: 'TWEET_IMAGE', video: 'AMPLIFY_VIDEO', animated_gif: 'TWEET_GIF' }

/** Ids without a time: 16 digits, fewer than the server hands out. */
const digitsOf = (hash: Buffer) => String(10n ** 15n + (hash.readBigUInt64BE() % 10n ** 15n))

const lettersOf = (hash: Buffer) => hash.readBigUInt64BE().toString(36).padStart(13, '0')

/** An id of the time at which the object was created, so that ids grow with time. */
const timedId = (hash: Buffer, { created_at }: ContentSeed) =>
  created_at === undefined
    ? digitsOf(hash)
    : publicId(sequenceAt(Date.parse(created_at as string)) + (hash.readUInt16BE() & 0xfff), hash.readUInt16BE(2) & 0x3ff)

const forms: Record<ObjectKind, (hash: Buffer, seed: ContentSeed) => string> = {
  topics: digitsOf,
  places: lettersOf,
  media: (hash, { type }) => mediaKey(categories[type as string]!, digitsOf(hash)),
  polls: digitsOf,
  posts: timedId,
  lists: timedId,
  spaces: lettersOf,
  direct_messages: timedId,
}

/**
 * Derives the ids of objects that a seed has without one from what the seed says, so that every load finds what an earlier one made. Of
 * objects of which it says the same, the second has another id than the first.
 */
export function createContentIds(kind: string) {
  const counts = new Map<string, number>()
  return (seed: ContentSeed, form: ObjectKind): string => {
    const text = writeExactJson(Object.entries(seed).sort(([one], [other]) => (one < other ? -1 : 1)))
    const count = counts.get(text) ?? 0
    counts.set(text, count + 1)
    const hash = createHash('sha256').update(`${kind} ${count} ${text}`).digest()
    return forms[form](hash, seed)
  }
}

/** An id without a time is of the first hour that ids count from. */
const FIRST_ID_WITH_TIME = BigInt(publicId(sequenceAt(momentOf(0) + HOUR_MS)))

/** When an object was created: as the seed says, or as the id says, if the server hands out such ids; else now. */
export function createdAtOf(key: string, createdAtMs: unknown, nowMs: number): number {
  if (typeof createdAtMs === 'number') return createdAtMs
  const sequence = /^\d+$/.test(key) && BigInt(key) >= FIRST_ID_WITH_TIME ? sequenceOf(key) : undefined
  return sequence === undefined ? nowMs : Math.min(nowMs, momentOf(sequence))
}
