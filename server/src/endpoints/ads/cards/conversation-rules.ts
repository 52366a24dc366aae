import { adsError, type ErrorDetail, invalidRequest } from '../../../api/declare/problem.ts'
import { atLeastOneOf, type Rule, requires } from '../../../api/declare/rules.ts'
import { fitsPost } from '../../posts/text-rules.ts'
import { legacySpecs, type MediaSpec, type MediaUse, posterUse } from '../card-rules/card-media.ts'
import { firstFrameOf } from '../media/media-key.ts'
import { type CardRecord, ctaPosts } from '../resources/card-fields.ts'
import type { FeatureKey } from '../resources/feature-keys.ts'

/** What a request says of a conversation card, or the card itself. */
export type Conversation = Partial<CardRecord>

/** The rules between fields (§4.7). */
export const conversationRules: readonly Rule[] = [
  atLeastOneOf('title', 'second_cta'),
  requires('second_cta', 'second_cta_post'),
  requires('third_cta', 'third_cta_post'),
  requires('fourth_cta', 'fourth_cta_post'),
  ...ctaPosts.map(fitsPost),
]

/** What needs a feature of the account besides `CONVERSATION_CARD` (public practice). */
const featureOf: Partial<Record<keyof CardRecord, FeatureKey>> = {
  third_cta: 'CONVERSATION_CARD_FOUR_OPTIONS',
  fourth_cta: 'CONVERSATION_CARD_FOUR_OPTIONS',
  unlocked_image_media_key: 'CONVERSATION_CARD_UNLOCK',
  unlocked_video_media_key: 'CONVERSATION_CARD_UNLOCK',
}

const missing = (what: string, feature: FeatureKey, parameter?: string) =>
  adsError('FEATURE_NOT_AVAILABLE', `${what} needs the account feature ${feature}`, parameter)

/** Throws for what the account lacks the features of. `given` is what is new. */
export function assertFeatures(features: readonly FeatureKey[], given: Conversation, isNew: boolean) {
  const needed = Object.entries(featureOf).filter(([field]) => given[field as keyof CardRecord] != null)
  const errors: ErrorDetail[] = [
    ...(isNew && !features.includes('CONVERSATION_CARD') ? [missing('A conversation card', 'CONVERSATION_CARD')] : []),
    ...needed.flatMap(([field, feature]) => (features.includes(feature) ? [] : [missing(field, feature, field)])),
  ]
  if (errors.length > 0) throw invalidRequest(errors)
}

/** What each medium of a card must be, besides the poster. */
const specsOf = (type: 'IMAGE' | 'VIDEO'): Partial<Record<keyof CardRecord, MediaSpec>> => ({
  media_key: legacySpecs[type],
  unlocked_image_media_key: { type: 'IMAGE' },
  unlocked_video_media_key: { type: 'VIDEO' },
})

/** The media that a request of a user names. */
export const usesOf = (given: Conversation, type: 'IMAGE' | 'VIDEO', userId: string): MediaUse[] => [
  ...Object.entries(specsOf(type)).flatMap(([at, spec]) => {
    const key = given[at as keyof CardRecord] as string | null | undefined
    return key == null ? [] : [{ key, at, spec }]
  }),
  ...(given.poster_media_key == null ? [] : [posterUse(given.poster_media_key, userId)]),
]

/** The same with null for a poster that is the first frame of the video, which is the default. */
export const withStoredPoster = <Given extends Conversation>(given: Given, media_key: string | null | undefined): Given =>
  given.poster_media_key != null && given.poster_media_key === firstFrameOf(media_key ?? '') ? { ...given, poster_media_key: null } : given
