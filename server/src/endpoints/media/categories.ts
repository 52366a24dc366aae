/** What media are uploaded for (§2.7), with what their keys begin with (public practice): `3_1136048014974423040` is a `TWEET_IMAGE`. */
const prefixes = { TWEET_IMAGE: '3', TWEET_VIDEO: '7', AMPLIFY_VIDEO: '13', TWEET_GIF: '16' } as const

export type MediaCategory = keyof typeof prefixes

export const mediaCategories = Object.keys(prefixes) as MediaCategory[]

/** What keys of media begin with. */
export const KEY_PREFIXES: readonly string[] = Object.values(prefixes)

/** The key of media of a category. */
export const mediaKey = (category: MediaCategory, id: string): string => `${prefixes[category]}_${id}`

/** The category that a key says; undefined for one that begins with another number. */
export const categoryOfKey = (key: string): MediaCategory | undefined =>
  mediaCategories.find((category) => key.startsWith(`${prefixes[category]}_`))
