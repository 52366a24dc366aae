import { matchingAds } from '../../../api/declare/ads-words.ts'
import { anyObject, listOf, nullable, object, oneOf, optional, optionals, type Params, text } from '../../../api/declare/words.ts'
import { resource } from '../../../api/records/resource.ts'
import type { RecordOf, SeedRule } from '../../../api/records/resource-declaration.ts'
import type { Content } from '../../../storage/content.ts'
import { POLL_MINUTES, POLL_OPTION_LENGTH } from '../../posts/poll-limits.ts'
import { fitsPost } from '../../posts/text-rules.ts'
import {
  type CardKind,
  type CardType,
  type Component,
  cardTypes,
  componentCardType,
  kindOfType,
  mediaKeysOf,
} from '../card-rules/card-types.ts'
import { componentWords } from '../card-rules/component-table.ts'
import { judgeComponents, judgeSlides } from '../card-rules/judge-components.ts'
import {
  conversationValues,
  imageConversationMembers,
  type Media,
  pollMembers,
  pollValues,
  videoConversationMembers,
  withMetadata,
} from '../card-rules/shown-media.ts'
import { cardUri, webUrl } from '../creative-words.ts'
import { imageKeyWord, mediaKeyWord, typeOfKey } from '../media/media-key.ts'
import { mediaByKey } from '../media/stored-media.ts'

const componentExample = { type: 'MEDIA', media_key: '3_1136048014974423040' }

const component = object(
  { ...componentWords, media_metadata: optional(anyObject({ description: 'What the media is, by its key.' })) },
  { example: componentExample },
)

const componentList = listOf(component, { example: [componentExample] })

/** The text of a button without `#` and spaces, at most twenty characters. */
const cta = (about: { example?: string } = {}) => matchingAds('^#?[^#\\s]{1,20}$', 'a hashtag of at most 20 characters', about)

const choice = (example?: string) => text({ max: POLL_OPTION_LENGTH, example })

const postText = (example?: string) => text({ example })

/** Fields of every card. */
const commonFields = {
  name: text({ max: 80, example: 'Spring' }),
  card_type: oneOf(cardTypes),
  card_uri: cardUri(),
}

/** What each kind of card has besides. */
const ownFields = {
  components: nullable(componentList),
  slides: nullable(listOf(componentList)),
  first_choice: nullable(choice('Tea')),
  second_choice: nullable(choice('Coffee')),
  third_choice: nullable(choice()),
  fourth_choice: nullable(choice()),
  duration_in_minutes: nullable(matchingAds('^[0-9]{1,5}$', 'a number of minutes', { example: '1440' })),
  title: nullable(text({ max: 23 })),
  first_cta: nullable(cta({ example: '#tea' })),
  first_cta_post: nullable(postText('I drink #tea')),
  second_cta: nullable(cta()),
  second_cta_post: nullable(postText()),
  third_cta: nullable(cta()),
  third_cta_post: nullable(postText()),
  fourth_cta: nullable(cta()),
  fourth_cta_post: nullable(postText()),
  thank_you_text: nullable(text({ max: 23, example: 'Thank you' })),
  thank_you_url: nullable(webUrl()),
  media_key: nullable(mediaKeyWord()),
  poster_media_key: nullable(
    imageKeyWord({ description: 'An image of the media library or of the authenticated user; by default the first frame.' }),
  ),
  unlocked_image_media_key: nullable(mediaKeyWord()),
  unlocked_video_media_key: nullable(mediaKeyWord({ example: '7_1136048014974423045' })),
}

/** The fields of cards of all kinds. */
export const cardFields = { ...commonFields, ...ownFields }

const internal = { kind: text() }

export type CardRecord = RecordOf<typeof cardFields & typeof internal>

type NewCard = Partial<CardRecord>

/** Components without what answers add to them. */
const withoutMetadata = (components: readonly object[]) =>
  (components as Component[]).map(({ media_metadata: _, ...stored }) => stored as Component)

function kindOf({ card_type, first_cta, first_choice, media_key }: NewCard): CardKind {
  if (card_type !== undefined) return kindOfType(card_type)
  if (first_cta != null) return typeOfKey(media_key ?? '') === 'IMAGE' ? 'IMAGE_CONVERSATION' : 'VIDEO_CONVERSATION'
  return first_choice != null ? 'POLL' : 'COMPONENT'
}

function typeOf(kind: CardKind, { components, slides, media_key }: NewCard): CardType | undefined {
  if (kind === 'COMPONENT') return componentCardType((components ?? null) as Component[] | null, (slides ?? null) as Component[][] | null)
  if (kind !== 'POLL') return kind
  return media_key == null ? 'TEXT_POLLS' : typeOfKey(media_key) === 'IMAGE' ? 'IMAGE_POLLS' : 'VIDEO_POLLS'
}

/** The number that base 36 says. */
const numberOf = (id: string) => [...id].reduce((number, digit) => number * 36n + BigInt(Number.parseInt(digit, 36)), 0n)

/** Ids of component cards are the numbers of their URIs, those of other cards the same numbers in base 36 (public practice). */
const uriOf = (id: string, kind: CardKind) => `card://${kind === 'COMPONENT' && /^\d+$/.test(id) ? id : numberOf(id) % 10n ** 20n}`

/** What of a card follows from the rest. */
function fillCard(given: NewCard): NewCard {
  const kind = (given.kind as CardKind | undefined) ?? kindOf(given)
  return {
    kind,
    card_type: given.card_type ?? typeOf(kind, given),
    card_uri: given.card_uri ?? uriOf(given.id ?? '', kind),
  } as NewCard
}

/** A seed may have components as answers show them. */
const fromSeed = ({ components, slides, ...given }: Readonly<Record<string, unknown>>) => ({
  ...given,
  ...(components != null && { components: withoutMetadata(components as object[]) }),
  ...(slides != null && { slides: (slides as object[][]).map(withoutMetadata) }),
})

const isPollTime = (minutes: string | null) => Number(minutes) >= POLL_MINUTES.min && Number(minutes) <= POLL_MINUTES.max

/** What a card of each kind needs. */
const required: Record<CardKind, readonly (keyof typeof ownFields)[]> = {
  COMPONENT: [],
  POLL: ['first_choice', 'second_choice', 'duration_in_minutes'],
  IMAGE_CONVERSATION: ['first_cta', 'first_cta_post', 'thank_you_text', 'media_key'],
  VIDEO_CONVERSATION: ['first_cta', 'first_cta_post', 'thank_you_text', 'media_key'],
}

const requiredFields = [...new Set(Object.values(required).flat())]

/** Whether the components of a card are those of one: a seed may have any that its schema takes. */
const areComponents = ({ components, slides }: CardRecord) =>
  (components === null) !== (slides === null) && (components ? judgeComponents(components) : judgeSlides(slides)).errors.length === 0

/** Texts that are posted with the answers to a conversation card. */
export const ctaPosts = ['first_cta_post', 'second_cta_post', 'third_cta_post', 'fourth_cta_post'] as const

const seedRules: SeedRule<CardRecord, keyof CardRecord>[] = [
  ...requiredFields.map((field) => ({
    field,
    message: 'is missing',
    holds: (card: CardRecord) => card[field] !== null || !required[card.kind as CardKind].includes(field),
  })),
  {
    field: 'duration_in_minutes',
    message: `must be between ${POLL_MINUTES.min} and ${POLL_MINUTES.max}`,
    holds: ({ kind, duration_in_minutes }) => kind !== 'POLL' || isPollTime(duration_in_minutes),
  },
  ...ctaPosts.map((field) => ({
    field,
    message: 'is too long for a post',
    holds: (card: CardRecord) => fitsPost(field).holds({ [field]: card[field] }),
  })),
  { field: 'components', message: 'are not those of a card', holds: (card) => card.kind !== 'COMPONENT' || areComponents(card) },
  {
    field: 'card_type',
    message: 'does not match its components or media',
    holds: (card) => card.card_type === typeOf(card.kind as CardKind, card),
  },
]

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
    slides: slides?.map((slide) => withMetadata(slide as Component[], media)),
  }),
  POLL: pollValues,
  IMAGE_CONVERSATION: (card, media) => ({ media_key: card.media_key, ...conversationValues(card, media) }),
  VIDEO_CONVERSATION: (card, media) => ({ media_key: card.media_key, ...conversationValues(card, media) }),
}

const NO_MEDIA: Media = new Map()

const componentValues = optionals({ components: componentList, slides: listOf(componentList) })

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
  derived: {
    ...componentValues,
    ...optionals(pollMembers),
    ...optionals({ media_key: mediaKeyWord(), unlocked_image_media_key: mediaKeyWord({ description: 'Only written.' }) }),
    ...videoConversationMembers,
    ...imageConversationMembers,
  },
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
