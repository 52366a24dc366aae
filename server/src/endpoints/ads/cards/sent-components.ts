import type { ErrorDetail } from '../../../api/declare/problem.ts'
import { atLeastOneOf, mutuallyExclusive } from '../../../api/declare/rules.ts'
import { anything, describedAs, nullable, optional } from '../../../api/declare/words.ts'
import { componentSpecs, type MediaUse } from '../card-rules/card-media.ts'
import { type CardType, type Component, componentCardType, mediaKeysOf } from '../card-rules/card-types.ts'
import { judgeComponents, judgeSlides } from '../card-rules/judge-components.ts'
import { typeOfKey } from '../media/media-key.ts'
import { type CardRecord, cardFields } from '../resources/card-fields.ts'

/** The parameters that say what a card is made of. They are judged one by one, so that errors name the exact place. */
export const componentParams = {
  components: optional(nullable(describedAs(anything(), cardFields.components))),
  slides: optional(nullable(describedAs(anything(), cardFields.slides))),
}

/** Null is absent: clients send it for what they do not set (public practice). */
export const oneOfBoth = mutuallyExclusive('components', 'slides')
export const atLeastOne = atLeastOneOf('components', 'slides')

/** What a card is made of, as it is stored. */
export interface CardContent {
  components: Component[] | null
  slides: Component[][] | null
  card_type: CardType | undefined
}

/** What a request says that a card is made of; undefined if it says nothing. */
export function judgeContent({ components, slides }: { components?: unknown; slides?: unknown }): {
  content: CardContent | undefined
  errors: ErrorDetail[]
} {
  const judged = components != null ? judgeComponents(components) : undefined
  const judgedSlides = slides != null ? judgeSlides(slides) : undefined
  if (!judged && !judgedSlides) return { content: undefined, errors: [] }
  const [made, madeOfSlides] = [judged?.value ?? null, judgedSlides?.value ?? null]
  const errors = [...(judged?.errors ?? []), ...(judgedSlides?.errors ?? [])]
  if (errors.length > 0) return { content: undefined, errors }
  return { content: { components: made, slides: madeOfSlides, card_type: componentCardType(made, madeOfSlides) }, errors }
}

const usesIn = (components: readonly Component[], at: string): MediaUse[] =>
  components.flatMap(({ media_key, media_keys = [] }, index) => {
    const places = [
      ...(media_key === undefined ? [] : [{ key: media_key, at: `${at}[${index}].media_key` }]),
      ...media_keys.map((key, place) => ({ key, at: `${at}[${index}].media_keys[${place}]` })),
    ]
    return places.map((place) => ({ ...place, spec: componentSpecs[typeOfKey(place.key) as 'IMAGE' | 'VIDEO'] }))
  })

/** The media of a card, with the places at which they were sent. */
export const mediaUses = ({ components, slides }: CardContent): MediaUse[] => [
  ...usesIn(components ?? [], 'components'),
  ...(slides ?? []).flatMap((slide, index) => usesIn(slide, `slides[${index}]`)),
]

export const keysIn = ({ components, slides }: Pick<CardContent, 'components' | 'slides'>): string[] =>
  mediaKeysOf([...(components ?? []), ...(slides ?? []).flat()])

/** The media that a card did not have before: it keeps those that it had, in the library or not. */
export function newUses({ components, slides }: CardRecord, content: CardContent): MediaUse[] {
  const kept = new Set(keysIn({ components, slides } as CardContent))
  return mediaUses(content).filter(({ key }) => !kept.has(key))
}
