// The component tables of the specification (§4.7), row by row: what a card may be made of, and the exact place of what it may not.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ACCOUNT, dataOf, mistakesOf } from '../../stage/ads.ts'
import {
  AMPLIFY,
  creativeSeed,
  GIF,
  GRACES,
  IMAGE,
  LONG_VIDEO,
  PLAIN,
  SMALL_IMAGE,
  SQUARE_VIDEO,
  sendJson,
  TALL_IMAGE,
  TALL_VIDEO,
  VIDEO,
  WIDE_IMAGE,
} from '../../stage/creatives.ts'
import { databasesOf } from '../../stage/databases.ts'
import { type Stage, setStage } from '../../stage/postern.ts'

const CARDS = `/12/accounts/${ACCOUNT}/cards`

const picture = (media_key: unknown = IMAGE) => ({ type: 'MEDIA', media_key })
const swipeable = (...media_keys: unknown[]) => ({ type: 'SWIPEABLE_MEDIA', media_keys })
const website = (url: unknown = 'https://shop.example/cups') => ({ type: 'WEBSITE', url })
const details = (more: object = {}) => ({ type: 'DETAILS', title: 'Cups', destination: website(), ...more })
const app = (more: object = {}) => ({ type: 'APP', country_code: 'US', googleplay_app_id: 'com.example.app', ...more })
const button = (more: object = {}) => ({ type: 'BUTTON', label: { type: 'ENUM', value: 'SHOP' }, destination: app(), ...more })

const of = (...components: unknown[]) => ({ components })
const inSlides = (...slides: unknown[]) => ({ slides })

/** Every type of §2.7, with what makes it. */
const made: Record<string, object> = {
  IMAGE_WEBSITE: of(picture(), details()),
  VIDEO_WEBSITE: of(picture(VIDEO), details()),
  IMAGE_APP: of(picture(WIDE_IMAGE), button()),
  VIDEO_APP: of(picture(SQUARE_VIDEO), button()),
  IMAGE_CAROUSEL_WEBSITE: of(swipeable(IMAGE, WIDE_IMAGE), details()),
  IMAGE_CAROUSEL_APP: of(swipeable(IMAGE, WIDE_IMAGE, IMAGE, WIDE_IMAGE, IMAGE, WIDE_IMAGE), button()),
  VIDEO_CAROUSEL_WEBSITE: of(swipeable(VIDEO, AMPLIFY), details()),
  VIDEO_CAROUSEL_APP: of(swipeable(VIDEO, AMPLIFY), button()),
  MIXED_MEDIA_SINGLE_DEST_CAROUSEL_WEBSITE: of(swipeable(IMAGE, VIDEO), details()),
  MIXED_MEDIA_SINGLE_DEST_CAROUSEL_APP: of(swipeable(AMPLIFY, IMAGE), button()),
  IMAGE_MULTI_DEST_CAROUSEL_WEBSITE: inSlides([picture(), details()], [picture(WIDE_IMAGE), details()]),
  VIDEO_MULTI_DEST_CAROUSEL_WEBSITE: inSlides([picture(VIDEO), details()], [picture(AMPLIFY), details()]),
  MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE: inSlides(...Array.from({ length: 6 }, (_, n) => [picture(n === 0 ? VIDEO : IMAGE), details()])),
}

/** What else is accepted: as it is sent. */
const accepted: [what: string, sent: object][] = [
  ['the action above the media', of(details(), picture())],
  ...['BOOK', 'CONNECT', 'INSTALL', 'OPEN', 'ORDER', 'PLAY', 'SHOP'].map(
    (value) => [`the label ${value}`, of(picture(), button({ label: { type: 'ENUM', value } }))] as [string, object],
  ),
  [
    'an app of one store',
    of(picture(), button({ destination: { type: 'APP', country_code: 'DE', ios_app_store_identifier: '333903271' } })),
  ],
  [
    'deep links with their ids',
    of(
      picture(),
      button({ destination: app({ googleplay_deep_link: 'app://a', ios_app_store_identifier: '333903271', ios_deep_link: 'app://b' }) }),
    ),
  ],
  ['http', of(picture(), details({ destination: website('http://shop.example') }))],
]

type Mistakes = readonly string[]
const wrong = (at: string) => [`INVALID_PARAMETER ${at}`]
const lacking = (at: string) => [`MISSING_PARAMETER ${at}`]
const combination = (at: string) => [`INVALID_CARD_COMPONENTS_COMBINATION ${at}`]

const refused: [what: string, sent: object, mistakes: Mistakes][] = [
  ['neither components nor slides', {}, lacking('components')],
  ['null alone', { components: null, slides: null }, lacking('components')],
  ['both', { ...of(picture(), details()), ...made.IMAGE_MULTI_DEST_CAROUSEL_WEBSITE }, ['EXCLUSIVE_PARAMETERS components']],
  ['no list', { components: { 0: picture() } }, wrong('components')],
  ['slides that are components', inSlides(picture(), details()), ['INVALID_PARAMETER slides[0]', 'INVALID_PARAMETER slides[1]']],
  ['slides that are no list', { slides: 'x' }, wrong('slides')],
  ['a component that is no object', of(picture(), 'x'), wrong('components[1]')],
  ['a component without a type', of(picture(), { title: 'x' }), lacking('components[1].type')],
  ['an unknown type', of(picture(), { type: 'FOOTER' }), wrong('components[1].type')],
  ['no components', of(), combination('components')],
  ['media alone', of(picture()), combination('components')],
  ['no media', of(details()), combination('components')],
  ['two media', of(picture(), swipeable(IMAGE, WIDE_IMAGE), details()), combination('components')],
  ['two DETAILS', of(picture(), details(), details()), combination('components')],
  ['DETAILS and BUTTON', of(picture(), details(), button()), combination('components')],
  ['a BUTTON in a slide', inSlides([picture(), button()], [picture(), details()]), combination('slides[0]')],
  ['SWIPEABLE_MEDIA in a slide', inSlides([picture(), details()], [swipeable(IMAGE, VIDEO), details()]), combination('slides[1]')],
  ['one slide', inSlides([picture(), details()]), wrong('slides')],
  ['seven slides', inSlides(...Array.from({ length: 7 }, () => [picture(), details()])), wrong('slides')],
  ['MEDIA without media_key', of({ type: 'MEDIA' }, details()), lacking('components[0].media_key')],
  ['MEDIA whose key is null', of(picture(null), details()), lacking('components[0].media_key')],
  ['a media_key that is none', of(picture('x'), details()), wrong('components[0].media_key')],
  ['a media_key that is a number', of(picture(3), details()), wrong('components[0].media_key')],
  ['SWIPEABLE_MEDIA without media_keys', of({ type: 'SWIPEABLE_MEDIA' }, details()), lacking('components[0].media_keys')],
  ['one of SWIPEABLE_MEDIA', of(swipeable(IMAGE), details()), wrong('components[0].media_keys')],
  ['seven of SWIPEABLE_MEDIA', of(swipeable(...Array.from({ length: 7 }, () => IMAGE)), details()), wrong('components[0].media_keys')],
  ['a wrong key among media_keys', of(swipeable(IMAGE, 'x'), details()), wrong('components[0].media_keys[1]')],
  ['DETAILS without a title', of(picture(), details({ title: undefined })), lacking('components[1].title')],
  ['DETAILS with an empty title', of(picture(), details({ title: '' })), wrong('components[1].title')],
  ['DETAILS without a destination', of(picture(), details({ destination: undefined })), lacking('components[1].destination')],
  ['DETAILS with an app', of(picture(), details({ destination: app() })), wrong('components[1].destination.type')],
  ['a website without url', of(picture(), details({ destination: { type: 'WEBSITE' } })), lacking('components[1].destination.url')],
  ['a website that is none', of(picture(), details({ destination: website('shop') })), wrong('components[1].destination.url')],
  [
    'a website of another scheme',
    of(picture(), details({ destination: website('ftp://a.example') })),
    wrong('components[1].destination.url'),
  ],
  [
    'a website in a script',
    of(picture(), details({ destination: website('javascript:alert(1)') })),
    wrong('components[1].destination.url'),
  ],
  [
    'a destination without a type',
    of(picture(), details({ destination: { url: 'https://a.example' } })),
    lacking('components[1].destination.type'),
  ],
  ['BUTTON without a label', of(picture(), button({ label: undefined })), lacking('components[1].label')],
  ['BUTTON with a text as label', of(picture(), button({ label: 'SHOP' })), wrong('components[1].label')],
  ['a label of another type', of(picture(), button({ label: { type: 'TEXT', value: 'SHOP' } })), wrong('components[1].label.type')],
  ['a label without a value', of(picture(), button({ label: { type: 'ENUM' } })), lacking('components[1].label.value')],
  ['another label', of(picture(), button({ label: { type: 'ENUM', value: 'BUY' } })), wrong('components[1].label.value')],
  ['BUTTON without a destination', of(picture(), button({ destination: undefined })), lacking('components[1].destination')],
  ['BUTTON with a website', of(picture(), button({ destination: website() })), wrong('components[1].destination.type')],
  [
    'an app without a country',
    of(picture(), button({ destination: app({ country_code: undefined }) })),
    lacking('components[1].destination.country_code'),
  ],
  [
    'an app of a long country',
    of(picture(), button({ destination: app({ country_code: 'USA' }) })),
    wrong('components[1].destination.country_code'),
  ],
  ...['ZZ', 'XK', 'uk', 'U5'].map((country_code): [string, object, Mistakes] => [
    `an app of ${country_code}, which is no country of ISO 3166-1`,
    of(picture(), button({ destination: app({ country_code }) })),
    wrong('components[1].destination.country_code'),
  ]),
  [
    'an app without an id',
    of(picture(), button({ destination: app({ googleplay_app_id: undefined }) })),
    lacking('components[1].destination.googleplay_app_id'),
  ],
  [
    'a deep link of Google Play without its id',
    of(
      picture(),
      button({ destination: { type: 'APP', country_code: 'US', ios_app_store_identifier: '1', googleplay_deep_link: 'app://a' } }),
    ),
    ['INCLUSIVE_PARAMETERS components[1].destination.googleplay_app_id'],
  ],
  [
    'a deep link of iOS without its id',
    of(picture(), button({ destination: app({ ios_deep_link: 'app://a' }) })),
    ['INCLUSIVE_PARAMETERS components[1].destination.ios_app_store_identifier'],
  ],
  [
    'everything at once',
    of(picture('x'), button({ label: { type: 'ENUM', value: 'BUY' }, destination: app({ country_code: 'x' }) })),
    [...wrong('components[0].media_key'), ...wrong('components[1].label.value'), ...wrong('components[1].destination.country_code')],
  ],
  [
    'a wrong place in a slide',
    inSlides([picture(), details()], [picture(), details({ destination: website('x') })]),
    wrong('slides[1][1].destination.url'),
  ],
  ['a GIF', of(picture(GIF), details()), ['INVALID_MEDIA components[0].media_key']],
  ['media of no category', of(picture(PLAIN), details()), ['INVALID_MEDIA components[0].media_key']],
  ['an image of 799 pixels', of(picture(SMALL_IMAGE), details()), ['INVALID_MEDIA components[0].media_key']],
  ['an image of 2:3', of(picture(TALL_IMAGE), details()), ['INVALID_MEDIA components[0].media_key']],
  ['a video of more than ten minutes', of(swipeable(VIDEO, LONG_VIDEO), details()), ['INVALID_MEDIA components[0].media_keys[1]']],
  ['a video of 9:16', of(picture(TALL_VIDEO), details()), ['INVALID_MEDIA components[0].media_key']],
]

const unknown: [what: string, sent: object, at: string][] = [
  ['media that do not exist', of(picture('3_1'), details()), 'components[0].media_key'],
  ['media that are not in the library', of(picture(GRACES), details()), 'components[0].media_key'],
  ['such media in a slide', inSlides([picture(), details()], [picture('7_1'), details()]), 'slides[1][0].media_key'],
]

for (const flavour of databasesOf(import.meta))
  suite(`components of cards on ${flavour}`, () => {
    let stage: Stage
    before(async () => {
      stage = await setStage({ flavour, seed: creativeSeed(), environment: { POSTERN_RATE_LIMITS: 'off' } })
    })
    after(() => stage[Symbol.asyncDispose]())
    const create = (sent: object) => sendJson(stage, 'POST', CARDS, { name: 'Spring', ...sent })

    for (const [type, sent] of Object.entries(made)) {
      test(`${type} follows from media and components`, async () => assert.equal(dataOf(await create(sent)).card_type, type))
    }

    for (const [what, sent] of accepted)
      test(`${what} is accepted, and shown as it was sent`, async () => {
        const { components } = dataOf(await create(sent))
        const shown = components.map(({ media_metadata: _, ...component }: Record<string, unknown>) => component)
        assert.deepEqual(shown, (sent as { components: object[] }).components)
      })

    test('a country code is read in either case, and shown in capitals', async () => {
      const { components } = dataOf(await create(of(picture(), button({ destination: app({ country_code: 'se' }) }))))
      assert.equal(components[1].destination.country_code, 'SE')
    })

    test('members that are not declared are dropped, whatever they are called', async () => {
      const more = { constructor: { a: 'x' }, toString: 'y', valueOf: [1], hasOwnProperty: 1, colour: 'red' }
      const { components } = dataOf(
        await create(of({ ...picture(), ...more }, details({ ...more, destination: { ...website(), ...more } }))),
      )
      const { media_metadata: _, ...media } = components[0]
      assert.deepEqual([media, components[1]], [picture(), details()])
    })

    for (const [what, sent, mistakes] of refused)
      test(`${what} is refused by its place`, async () => assert.deepEqual(mistakesOf(await create(sent)), [400, ...mistakes]))

    for (const [what, sent, at] of unknown)
      test(`${what} are refused by their place`, async () =>
        assert.deepEqual(mistakesOf(await create(sent)), [404, `MEDIA_NOT_FOUND ${at}`]))

    test('the messages say the rule and the right form', async () => {
      const message = async (sent: object) => (await create(sent)).body.errors[0].message
      assert.equal(await message(inSlides(picture(), details())), 'slides[0] is not a valid Seq: expected a list of components')
      assert.equal(
        await message(of(picture(), details({ destination: website('shop') }))),
        'Expected a URL that begins with https:// or http://, got "shop" for components[1].destination.url',
      )
      assert.equal(
        await message(of(picture(), details(), details())),
        'components must be one component of MEDIA or SWIPEABLE_MEDIA and one of DETAILS or BUTTON',
      )
      assert.equal(
        await message(of(picture(TALL_IMAGE), details())),
        `components[0].media_key must be an image of 1:1 or 1.91:1, and ${TALL_IMAGE} has 800 × 1200 pixels`,
      )
      assert.equal(await message({ components: null }), 'at least one of components, slides is required')
    })

    test('a missing name is reported together with a wrong component', async () => {
      const answer = await sendJson(stage, 'POST', CARDS, of(picture('x'), details()))
      assert.deepEqual(mistakesOf(answer), [400, 'MISSING_PARAMETER name', 'INVALID_PARAMETER components[0].media_key'])
    })

    test('a name has at most 80 characters', async () => {
      const named = (name: unknown) => create({ ...made.IMAGE_WEBSITE, name })
      assert.equal(dataOf(await named('é'.repeat(80))).name, 'é'.repeat(80))
      for (const name of ['x'.repeat(81), '', 5]) assert.deepEqual(mistakesOf(await named(name)), [400, 'INVALID_PARAMETER name'])
    })

    test('a body of more than 64 KiB is refused', async () => {
      assert.equal((await create(of(picture(), details({ title: 'x'.repeat(70_000) })))).status, 413)
    })
  })
