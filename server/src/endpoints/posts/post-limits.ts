import type { Rule } from '../../api/declare/rules.ts'
import { hasInvalidCharacters } from '../../lib/post-text/characters.ts'
import { isTooLong, LONGEST_POST } from '../../lib/post-text/post-length.ts'

/** How many minutes a poll may be open, in a post and on a card (§4.7). */
export const POLL_MINUTES = { min: 5, max: 10_080 } as const

/** How many characters an option of a poll may have. */
export const POLL_OPTION_LENGTH = 25

/** How many images a post may have (§8). */
export const MOST_IMAGES = 4

/** What media a post may have (§8). */
export const MEDIA_OF_POST = `up to ${MOST_IMAGES} images, or 1 GIF, or 1 video`

/** Whether a post may have media of these types. */
export const mediaFitPost = (types: readonly string[]): boolean =>
  types.every((type) => type === 'photo') ? types.length <= MOST_IMAGES : types.length === 1

/** A URL counts 23, however long it is; no text of so many characters can be short enough. */
const MAX_CHARACTERS = 10_000

/** A text that is posted is no longer than the service counts (public practice). */
export const fitsPost = (name: string): Rule => ({
  message: `\`${name}\` must not weigh more than ${LONGEST_POST}: a character counts 1, an emoji or a CJK character 2, a URL 23`,
  parameters: [name],
  code: 'INVALID_PARAMETER',
  holds: ({ [name]: text }) => typeof text !== 'string' || (text.length <= MAX_CHARACTERS && !isTooLong(text)),
})

export const textFits: Rule = fitsPost('text')

export const textIsPlain: Rule = {
  message: '`text` must not have the characters U+FFFE, U+FEFF and U+FFFF',
  parameters: ['text'],
  code: 'ILLEGAL_CHARACTERS',
  holds: ({ text }) => typeof text !== 'string' || !hasInvalidCharacters(text),
}
