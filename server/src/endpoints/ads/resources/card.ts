import { listOf, nullable, optional, optionals, type Params } from '../../../api/declare/words.ts'
import { resource } from '../../../api/records/resource.ts'
import type { Content } from '../../../storage/content.ts'
import { type CardKind, type Component, mediaKeysOf } from '../card-rules/card-types.ts'
import {
  conversationValues,
  imageConversationMembers,
  type Media,
  pollMembers,
  pollValues,
  videoConversationMembers,
  withMetadata,
} from '../card-rules/shown-media.ts'
import { mediaKeyWord } from '../media/media-key.ts'
import { mediaByKey } from '../media/stored-media.ts'
import { type CardRecord, cardFields, commonFields, componentList, ctaPosts, internal } from './card-fields.ts'
import { fillCard, fromSeed, seedRules } from './card-seeds.ts'

/** The keys of all media that answers show something of. */
function shownMediaOf({ components, slides, kind, ...card }: CardRecord): string[] {
  if (kind === 'COMPONENT') return mediaKeysOf((components ?? slides?.flat() ?? []) as Component[])
  const keys = [card.media_key, card.poster_media_key, card.unlocked_image_media_key, card.unlocked_video_media_key]
  return keys.filter((key) => key != null)
}

/** What of each kind of card is computed; a key that is only written is not shown. */
const valuesOf: Record<CardKind, (card: CardRecord, media: Media) => Record<string, unknown>> = {
  COMPONENT: ({ components, slides }, media) => ({
    components: components && withMetadata(components as Component[], media),
    slides: slides === null ? undefined : slides.map((slide) => withMetadata(slide as Component[], media)),
  }),
  POLL: pollValues,
  IMAGE_CONVERSATION: (card, media) => ({ media_key: card.media_key ?? undefined, ...conversationValues(card, media) }),
  VIDEO_CONVERSATION: (card, media) => ({ media_key: card.media_key ?? undefined, ...conversationValues(card, media) }),
}

const NO_MEDIA: Media = new Map()

/** Components are null for a card of slides (§2.7). */
const componentValues = { components: nullable(componentList), slides: optional(listOf(componentList)) }

const choices = ['first_choice', 'second_choice', 'third_choice', 'fourth_choice'] as const

const ctas = ['first_cta', 'second_cta', 'third_cta', 'fourth_cta'] as const

const conversationFields = ['title', ...ctas, ...ctaPosts, 'thank_you_text', 'thank_you_url', 'unlocked_video_media_key'] as const

interface Shape {
  /** The fields that answers show as they are stored, besides those of every card. */
  shows?: readonly string[]
  /** Fields that are stored, and shown otherwise or not at all. */
  keeps?: readonly string[]
  /** Members that are computed. */
  derived: Params
  kind?: CardKind
}

const cardFieldsNamed = (names: readonly string[]) =>
  Object.fromEntries(Object.entries(cardFields).filter(([name]) => names.includes(name)))

/** Declares a view of the table of cards: those of one kind or all, with the columns and members that these have. */
function cardResource<const Title extends string>(title: Title, { shows = [], keeps = [], derived, kind }: Shape) {
  return resource<typeof cardFields, Title, 'cards', typeof internal>({
    title,
    name: 'cards',
    notFound: 'CARD_NOT_FOUND',
    omitsUnset: true,
    dividedBy: 'kind',
    ...(kind && { only: { kind } }),
    search: { prefixOf: 'name', max: 80 },
    sortable: ['name'],
    filters:
      kind === undefined || kind === 'COMPONENT'
        ? { card_types: { anyOf: 'card_type' }, card_id: { anyOf: 'id' }, card_uris: { anyOf: 'card_uri' } }
        : { card_ids: { anyOf: 'id' } },
    seedRules,
    fromSeed,
    // Records have the type of those of all kinds; of fields that a kind has not they have none.
    fields: { ...commonFields, ...cardFieldsNamed(shows) } as typeof cardFields,
    internal: { ...cardFieldsNamed(keeps), ...internal },
    fill: fillCard,
    derived,
    async load(records, _accountId, services) {
      const { content } = services as { content: Pick<Content, 'rows'> }
      const media = await mediaByKey(content, records.flatMap(shownMediaOf))
      return new Map(records.map(({ id }) => [id, media]))
    },
    derive: (record, _nowMs, _parent, media: Media = NO_MEDIA) => valuesOf[record.kind as CardKind]?.(record, media) ?? {},
  })
}

/** A card of any kind. */
export const AnyCard = cardResource('Card', {
  shows: [...choices, 'duration_in_minutes', 'poster_media_key', ...conversationFields],
  keeps: ['components', 'slides', 'media_key', 'unlocked_image_media_key'],
  derived: optionals({
    ...componentValues,
    ...pollMembers,
    media_key: mediaKeyWord(),
    unlocked_image_media_key: mediaKeyWord({ description: 'Only written.' }),
    ...videoConversationMembers,
    ...imageConversationMembers,
  }),
})

/** A card that is made of components (§2.7). */
export const Card = cardResource('Card', { kind: 'COMPONENT', keeps: ['components', 'slides'], derived: componentValues })

export const PollCard = cardResource('Poll card', {
  kind: 'POLL',
  shows: [...choices, 'duration_in_minutes'],
  keeps: ['media_key'],
  derived: pollMembers,
})

export const VideoConversationCard = cardResource('Video conversation card', {
  kind: 'VIDEO_CONVERSATION',
  shows: [...conversationFields, 'media_key', 'poster_media_key'],
  keeps: ['unlocked_image_media_key'],
  derived: videoConversationMembers,
})

export const ImageConversationCard = cardResource('Image conversation card', {
  kind: 'IMAGE_CONVERSATION',
  shows: [...conversationFields, 'media_key'],
  keeps: ['unlocked_image_media_key'],
  derived: imageConversationMembers,
})
