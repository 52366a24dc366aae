import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { adsError, type ErrorDetail, invalidRequest } from '../../../api/declare/problem.ts'
import { atLeastOneOf, type Rule, requires } from '../../../api/declare/rules.ts'
import { notNull, optionals, type Params, pick, type TSchema } from '../../../api/declare/words.ts'
import { changeAccount, mustGet, mustInsert, type RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { assertRules, isChanged } from '../../../api/records/record-endpoints.ts'
import { show } from '../../../api/records/show.ts'
import type { Ids } from '../../../lib/ids.ts'
import { fitsPost } from '../../posts/post-limits.ts'
import { legacySpecs, type MediaSpec, type MediaUse, posterUse } from '../card-rules/card-media.ts'
import { firstFrameOf } from '../media/media-key.ts'
import { ImageConversationCard, VideoConversationCard } from '../resources/card.ts'
import { type CardRecord, cardFields, ctaPosts } from '../resources/card-fields.ts'
import type { FeatureKey } from '../resources/feature-keys.ts'
import { assertLibraryMedia, featuresOf, type MediaServices, readMedia } from './card-media.ts'
import { nextLegacyId } from './legacy-cards.ts'

/** What a request says of a conversation card, or the card itself. */
type Conversation = Partial<CardRecord>

/** The rules between fields (§4.7). */
const conversationRules: readonly Rule[] = [
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
function assertFeatures(features: readonly FeatureKey[], given: Conversation, isNew: boolean) {
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
const usesOf = (given: Conversation, type: 'IMAGE' | 'VIDEO', userId: string): MediaUse[] => [
  ...Object.entries(specsOf(type)).flatMap(([at, spec]) => {
    const key = given[at as keyof CardRecord] as string | null | undefined
    return key == null ? [] : [{ key, at, spec }]
  }),
  ...(given.poster_media_key == null ? [] : [posterUse(given.poster_media_key, userId)]),
]

/** The same with null for a poster that is the first frame of the video, which is the default. */
const withStoredPoster = <Given extends Conversation>(given: Given, media_key: string | null | undefined): Given =>
  given.poster_media_key != null && given.poster_media_key === firstFrameOf(media_key ?? '') ? { ...given, poster_media_key: null } : given

const setWord = (field: TSchema) => notNull(field).word

const required = {
  name: cardFields.name,
  first_cta: setWord(cardFields.first_cta),
  first_cta_post: setWord(cardFields.first_cta_post),
  thank_you_text: setWord(cardFields.thank_you_text),
  media_key: setWord(cardFields.media_key),
}

const alternatives = pick(
  cardFields,
  ...(['title', 'second_cta', 'second_cta_post', 'third_cta', 'third_cta_post', 'fourth_cta', 'fourth_cta_post'] as const),
  ...(['thank_you_url', 'unlocked_image_media_key', 'unlocked_video_media_key'] as const),
)

/** A kind of conversation card. */
interface Kind {
  resource: typeof VideoConversationCard | typeof ImageConversationCard
  type: 'IMAGE' | 'VIDEO'
  path: 'video_conversation' | 'image_conversation'
  /** In names of endpoints, and in sentences. */
  name: string
  title: string
  /** What its media must be, as a sentence. */
  media: string
  /** Parameters that only it has. */
  more: Params
  example: object
}

const shared =
  'A `*_cta` is a hashtag of at most 20 characters without `#`, and its `*_cta_post` the text that is posted with it. `third_cta` and `fourth_cta` need the ' +
  'account feature `CONVERSATION_CARD_FOUR_OPTIONS`, `unlocked_*` the feature `CONVERSATION_CARD_UNLOCK`. All media must be in the media library of the account.'

const createOf = ({ resource, type, path, name, title, media, more, example }: Kind) =>
  adsEndpoint({
    name: `create${name}`,
    route: `POST /12/accounts/:account_id/cards/${path}`,
    section: '§4.7',
    summary: `Create ${title}, for accounts with the feature \`CONVERSATION_CARD\`.`,
    description: `${media} ${shared}`,
    auth: accountMember({ changes: 'creatives' }),
    params: { account_id: adsId(), ...required, ...optionals(alternatives), ...optionals(more) },
    rules: conversationRules,
    example: { ...example, title: 'Tea?' },
    data: resource.schema,
    async handle({ params, caller }, services: RecordServices & MediaServices & { ids: Ids }) {
      const { account_id: _, ...sent } = params as { account_id: string } & Conversation
      const given = withStoredPoster(sent, sent.media_key)
      const uses = usesOf(given, type, caller.user.id)
      const stored = await readMedia(
        uses.map(({ key }) => key),
        services,
      )
      const card = await changeAccount(caller, services, async (transaction) => {
        assertFeatures(await featuresOf(transaction, caller.accountId), given, true)
        await assertLibraryMedia(transaction, uses, stored)
        return mustInsert(transaction, resource, { ...given, id: nextLegacyId(services.ids) })
      })
      return { data: await show(resource, card, caller.accountId, services) }
    },
  })

/** What of a request differs from the card. */
const newIn = (existing: CardRecord, given: Conversation): Conversation =>
  Object.fromEntries(Object.entries(given).filter(([field]) => isChanged(existing, given, field as keyof CardRecord)))

const updateOf = ({ resource, type, path, name, title, more }: Kind) =>
  adsEndpoint({
    name: `update${name}`,
    route: `PUT /12/accounts/:account_id/cards/${path}/:card_id`,
    section: '§4.7',
    summary: `Update ${title}. Omitted fields keep their values; an empty value clears an optional field.`,
    auth: accountMember({ changes: 'creatives' }),
    params: { account_id: adsId(), card_id: adsId(), ...optionals({ ...required, ...alternatives, ...more }) },
    deferredRules: conversationRules,
    data: resource.schema,
    async handle({ params, deferred, caller }, services: RecordServices & MediaServices) {
      const { account_id: _, card_id, ...sent } = params as { account_id: string; card_id: string } & Conversation
      const stored = await readMedia(
        usesOf(sent, type, caller.user.id).map(({ key }) => key),
        services,
      )
      const card = await changeAccount(caller, services, async (transaction) => {
        const existing = await mustGet(transaction, resource, card_id)
        const given = withStoredPoster(sent, sent.media_key ?? existing.media_key)
        assertRules(conversationRules, existing, given, deferred)
        const changes = newIn(existing, given)
        assertFeatures(await featuresOf(transaction, caller.accountId), changes, false)
        await assertLibraryMedia(transaction, usesOf(changes, type, caller.user.id), stored)
        return transaction.update(resource, existing, changes)
      })
      return { data: await show(resource, card, caller.accountId, services) }
    },
  })

const video: Kind = {
  resource: VideoConversationCard,
  type: 'VIDEO',
  path: 'video_conversation',
  name: 'VideoConversationCard',
  title: 'a video conversation card',
  media: '`media_key` is a video of 16:9, at most 10 minutes long; `poster_media_key` may be an image of the authenticated user too.',
  more: pick(cardFields, 'poster_media_key'),
  example: { media_key: '7_1136048014974423045' },
}

const image: Kind = {
  resource: ImageConversationCard,
  type: 'IMAGE',
  path: 'image_conversation',
  name: 'ImageConversationCard',
  title: 'an image conversation card',
  media: '`media_key` is an image of 1.91:1, at least 800 pixels wide.',
  more: {},
  example: { media_key: '3_1136048014974423041' },
}

export const createVideoConversationCard = createOf(video)
export const updateVideoConversationCard = updateOf(video)
export const createImageConversationCard = createOf(image)
export const updateImageConversationCard = updateOf(image)
