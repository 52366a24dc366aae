import { type MediaType, typeOfKey } from '../media/media-key.ts'

/** The types of cards that are made of components (§2.7). */
export const componentCardTypes = [
  'IMAGE_APP',
  'IMAGE_CAROUSEL_APP',
  'IMAGE_CAROUSEL_WEBSITE',
  'IMAGE_MULTI_DEST_CAROUSEL_WEBSITE',
  'IMAGE_WEBSITE',
  'MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE',
  'MIXED_MEDIA_SINGLE_DEST_CAROUSEL_APP',
  'MIXED_MEDIA_SINGLE_DEST_CAROUSEL_WEBSITE',
  'VIDEO_APP',
  'VIDEO_CAROUSEL_APP',
  'VIDEO_CAROUSEL_WEBSITE',
  'VIDEO_MULTI_DEST_CAROUSEL_WEBSITE',
  'VIDEO_WEBSITE',
] as const

export const pollCardTypes = ['IMAGE_POLLS', 'TEXT_POLLS', 'VIDEO_POLLS'] as const

export const conversationCardTypes = ['IMAGE_CONVERSATION', 'VIDEO_CONVERSATION'] as const

export const cardTypes = [...componentCardTypes, ...pollCardTypes, ...conversationCardTypes] as const

export type CardType = (typeof cardTypes)[number]

/** What a card is made of. Every kind but `COMPONENT` is what the specification calls a legacy card. */
export type CardKind = 'COMPONENT' | 'POLL' | (typeof conversationCardTypes)[number]

export const kindOfType = (type: CardType): CardKind =>
  type.endsWith('_POLLS') ? 'POLL' : type.endsWith('_CONVERSATION') ? (type as CardKind) : 'COMPONENT'

/** A component as it is stored, without what answers add. */
export interface Component {
  type: string
  media_key?: string
  media_keys?: string[]
  [member: string]: unknown
}

export const mediaKeysOf = (components: readonly Component[]): string[] =>
  components.flatMap(({ media_key, media_keys }) => [...(media_key === undefined ? [] : [media_key]), ...(media_keys ?? [])])

type MediaKind = 'IMAGE' | 'VIDEO' | 'MIXED_MEDIA'

function mediaKindOf(keys: readonly string[]): MediaKind | undefined {
  const kinds = new Set<MediaType | undefined>(keys.map(typeOfKey))
  if (kinds.size === 0 || kinds.has(undefined) || kinds.has('GIF')) return undefined
  return kinds.size === 2 ? 'MIXED_MEDIA' : ([...kinds][0] as MediaKind)
}

/** The form of a card: what stands between its kind of media and its destination. */
function formOf(kind: MediaKind, components: readonly Component[], isSlides: boolean): string {
  if (isSlides) return '_MULTI_DEST_CAROUSEL'
  if (!components.some(({ type }) => type === 'SWIPEABLE_MEDIA')) return ''
  return kind === 'MIXED_MEDIA' ? '_SINGLE_DEST_CAROUSEL' : '_CAROUSEL'
}

/** The type of a card with these components; undefined where there is none. */
export function componentCardType(components: readonly Component[] | null, slides: readonly Component[][] | null): CardType | undefined {
  const all = slides?.flat() ?? components ?? []
  const kind = mediaKindOf(mediaKeysOf(all))
  const destination = all.some(({ type }) => type === 'BUTTON') ? 'APP' : 'WEBSITE'
  const type = kind && `${kind}${formOf(kind, all, slides !== null)}_${destination}`
  return componentCardTypes.find((known) => known === type)
}
