import { withCodec } from '../../../api/declare/codec.ts'
import { matching, type WordOptions } from '../../../api/declare/words.ts'
import { categoryOfKey, type MediaCategory } from '../../media/categories.ts'

const MEDIA_KEY = '^[0-9]{1,2}_[0-9]{1,19}$'

const EXPECTED = 'a media key such as 3_1136048014974423040'

/** The key of media: the number of its category and a snowflake. */
export const mediaKeyWord = (about: WordOptions = {}) =>
  withCodec(matching(MEDIA_KEY, { example: '3_1136048014974423040', mustBe: EXPECTED, ...about }), { expects: EXPECTED })

export const isMediaKey = (value: unknown): value is string => typeof value === 'string' && new RegExp(MEDIA_KEY).test(value)

/** The key of an image, which may come as its number alone (§4.7: `long`). */
export const imageKeyWord = (about: WordOptions = {}) =>
  withCodec(mediaKeyWord(about), {
    decode: (text) => (/^[0-9]{1,19}$/.test(text) ? `3_${text}` : text),
    echo: (text) => text,
    textPattern: '^([0-9]{1,2}_)?[0-9]{1,19}$',
  })

export const mediaTypes = ['GIF', 'IMAGE', 'VIDEO'] as const

export type MediaType = (typeof mediaTypes)[number]

const typeOfCategory: Record<MediaCategory, MediaType> = {
  TWEET_IMAGE: 'IMAGE',
  TWEET_GIF: 'GIF',
  TWEET_VIDEO: 'VIDEO',
  AMPLIFY_VIDEO: 'VIDEO',
}

/** What kind of media a key says; undefined for a key of no category. */
export function typeOfKey(key: string): MediaType | undefined {
  const category = categoryOfKey(key)
  return category && typeOfCategory[category]
}

/** The key of the first frame of a video or GIF: the image with the same number (public practice). */
export const firstFrameOf = (key: string): string => `3_${key.slice(key.indexOf('_') + 1)}`
