import { randomBytes } from 'node:crypto'

/** What is served, by the ending of its URL. Nothing of it can hold a script: never SVG, never HTML. */
const typesByEnding = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
} as const

export type MediaType = (typeof typesByEnding)[keyof typeof typesByEnding]

const endings = Object.entries(typesByEnding) as [keyof typeof typesByEnding, MediaType][]

/** 128 bits: whoever has the URL of media may read them, and nobody guesses it (public practice). */
const RANDOM_BYTES = 16

/** A new URL of a file of media, of the type that inspection found. */
export function newMediaUrl(origin: string, mediaKey: string, type: MediaType): string {
  const [ending] = endings.find(([, of]) => of === type)!
  return `${origin}/media/${mediaKey}/${randomBytes(RANDOM_BYTES).toString('base64url')}.${ending}`
}

/** The media type that a file is served with; undefined for one that is not served. */
export function typeOfFile(name: string): MediaType | undefined {
  const ending = name.slice(name.lastIndexOf('.') + 1)
  return Object.hasOwn(typesByEnding, ending) ? typesByEnding[ending as keyof typeof typesByEnding] : undefined
}
