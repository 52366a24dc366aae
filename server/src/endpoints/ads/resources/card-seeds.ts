import type { SeedRule } from '../../../api/records/resource-declaration.ts'
import { fitsPost, POLL_MINUTES } from '../../posts/post-limits.ts'
import { type CardKind, type CardType, type Component, componentCardType, kindOfType } from '../card-rules/card-types.ts'
import { judgeComponents, judgeSlides } from '../card-rules/judge-components.ts'
import { typeOfKey } from '../media/media-key.ts'
import { type CardRecord, ctaPosts } from './card-fields.ts'

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
export function fillCard(given: NewCard): NewCard {
  const kind = (given.kind as CardKind | undefined) ?? kindOf(given)
  return {
    kind,
    card_type: given.card_type ?? typeOf(kind, given),
    card_uri: given.card_uri ?? uriOf(given.id ?? '', kind),
  } as NewCard
}

/** A seed may have components as answers show them. */
export const fromSeed = ({ components, slides, duration_in_minutes, ...given }: Readonly<Record<string, unknown>>) => ({
  ...given,
  ...(duration_in_minutes != null && { duration_in_minutes: String(duration_in_minutes) }),
  ...(components != null && { components: withoutMetadata(components as object[]) }),
  ...(slides != null && { slides: (slides as object[][]).map(withoutMetadata) }),
})

const isPollTime = (minutes: string | null) => Number(minutes) >= POLL_MINUTES.min && Number(minutes) <= POLL_MINUTES.max

/** What a card of each kind needs. */
const required: Record<CardKind, readonly (keyof CardRecord)[]> = {
  COMPONENT: [],
  POLL: ['first_choice', 'second_choice', 'duration_in_minutes'],
  IMAGE_CONVERSATION: ['first_cta', 'first_cta_post', 'thank_you_text', 'media_key'],
  VIDEO_CONVERSATION: ['first_cta', 'first_cta_post', 'thank_you_text', 'media_key'],
}

const requiredFields = [...new Set(Object.values(required).flat())]

/** Whether the components of a card are those of one: a seed may have any that its schema takes. */
const areComponents = ({ components, slides }: CardRecord) =>
  (components === null) !== (slides === null) && (components ? judgeComponents(components) : judgeSlides(slides)).errors.length === 0

/** What a card of a seed must be. */
export const seedRules: SeedRule<CardRecord, keyof CardRecord>[] = [
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
