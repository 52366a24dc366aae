import { matchingAds } from '../../../api/declare/ads-words.ts'
import { anyObject, listOf, nullable, object, oneOf, optional, text } from '../../../api/declare/words.ts'
import type { RecordOf } from '../../../api/records/resource-declaration.ts'
import { POLL_OPTION_LENGTH } from '../../posts/post-limits.ts'
import { cardTypes } from '../card-rules/card-types.ts'
import { componentWords } from '../card-rules/component-table.ts'
import { cardUri, webUrl } from '../creative-words.ts'
import { imageKeyWord, mediaKeyWord } from '../media/media-key.ts'

const componentExample = { type: 'MEDIA', media_key: '3_1136048014974423040' }

const component = object(
  { ...componentWords, media_metadata: optional(anyObject({ description: 'What the media is, by its key.' })) },
  { example: componentExample },
)

/** Components as requests and answers have them. */
export const componentList = listOf(component, { example: [componentExample] })

/** The text of a button without `#` and spaces, at most twenty characters. */
const cta = (about: { example?: string } = {}) => matchingAds('^#?[^#\\s]{1,20}$', 'a hashtag of at most 20 characters', about)

const choice = (example?: string) => text({ max: POLL_OPTION_LENGTH, example })

const postText = (example?: string) => text({ example })

/** Fields of every card. */
export const commonFields = {
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

/** Which kind of card a row of the table is. */
export const internal = { kind: text() }

export type CardRecord = RecordOf<typeof cardFields & typeof internal>

/** Texts that are posted with the answers to a conversation card. */
export const ctaPosts = ['first_cta_post', 'second_cta_post', 'third_cta_post', 'fourth_cta_post'] as const
