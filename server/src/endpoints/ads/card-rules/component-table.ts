import { countryCode } from '../../../api/declare/ads-words.ts'
import { listOf, object, oneOf, optionals, type Params, pick, text } from '../../../api/declare/words.ts'
import { webUrl } from '../creative-words.ts'
import { mediaKeyWord } from '../media/media-key.ts'

const labels = ['BOOK', 'CONNECT', 'INSTALL', 'OPEN', 'ORDER', 'PLAY', 'SHOP'] as const

const label = object({ type: oneOf(['ENUM']), value: oneOf(labels) })

const website = object({ type: oneOf(['WEBSITE']), url: webUrl() })

const appMembers = {
  googleplay_app_id: text({ max: 255, example: 'com.example.app' }),
  ios_app_store_identifier: text({ max: 255, example: '333903271' }),
  googleplay_deep_link: text({ max: 2000 }),
  ios_deep_link: text({ max: 2000 }),
}

const app = object({
  type: oneOf(['APP']),
  country_code: countryCode(),
  ...optionals(appMembers),
})

export const MAX_SWIPEABLE = 6
const MIN_SWIPEABLE = 2

/** How many slides a card has: as many as it could swipe media. */
export const slideBounds = { min: MIN_SWIPEABLE, max: MAX_SWIPEABLE }

/** What each type of component must have besides its type (§4.7). */
export const componentMembers = {
  MEDIA: { media_key: mediaKeyWord() },
  SWIPEABLE_MEDIA: { media_keys: listOf(mediaKeyWord(), { min: MIN_SWIPEABLE, max: MAX_SWIPEABLE }) },
  DETAILS: { title: text(), destination: website },
  BUTTON: { label, destination: app },
} as const satisfies Record<string, Params>

export type ComponentType = keyof typeof componentMembers

export const componentTypes = Object.keys(componentMembers) as ComponentType[]

/** Members that are lists or objects of their own, by the path in a component. */
export const destinationRules = {
  /** One of these must be given. */
  appIds: ['googleplay_app_id', 'ios_app_store_identifier'],
  /** A deep link, and the id without which it must not be given. */
  deepLinks: { googleplay_deep_link: 'googleplay_app_id', ios_deep_link: 'ios_app_store_identifier' },
} as const

/** The components of which a card, or a slide of a card, is made: one of the first with one of the second (§4.7). */
export const combinations = {
  components: { media: ['MEDIA', 'SWIPEABLE_MEDIA'], action: ['DETAILS', 'BUTTON'] },
  slide: { media: ['MEDIA'], action: ['DETAILS'] },
} as const satisfies Record<string, Record<'media' | 'action', readonly ComponentType[]>>

/** A component as seeds and the description have it: members of all types. */
export const componentWords = {
  type: oneOf(componentTypes),
  ...optionals({
    ...componentMembers.MEDIA,
    ...componentMembers.SWIPEABLE_MEDIA,
    ...pick(componentMembers.DETAILS, 'title'),
    ...pick(componentMembers.BUTTON, 'label'),
    destination: object({
      type: oneOf(['APP', 'WEBSITE']),
      ...optionals({ url: webUrl(), country_code: app.properties.country_code, ...appMembers }),
    }),
  }),
}
