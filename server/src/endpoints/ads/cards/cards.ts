import { accountMember, type MemberCaller, type MemberServices } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import type { ErrorDetail } from '../../../api/declare/problem.ts'
import { atLeastOneOf, mutuallyExclusive } from '../../../api/declare/rules.ts'
import { anything, boolean, defaulting, describedAs, listOf, nullable, optional } from '../../../api/declare/words.ts'
import { changeAccount, mustGet, mustInsert, type RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { listEndpoint, shownRows } from '../../../api/records/list-endpoint.ts'
import { deleteEndpoint, getEndpoint } from '../../../api/records/record-endpoints.ts'
import { show } from '../../../api/records/show.ts'
import { RecordsAnswer } from '../../../api/records/write-records.ts'
import type { Ids } from '../../../lib/ids.ts'
import { NEWEST_FIRST, type Records } from '../../../storage/records.ts'
import { componentSpecs, type MediaUse } from '../card-rules/card-media.ts'
import { type CardType, type Component, componentCardType, mediaKeysOf } from '../card-rules/card-types.ts'
import { judgeComponents, judgeSlides } from '../card-rules/judge-components.ts'
import { typeOfKey } from '../media/media-key.ts'
import { AnyCard, Card } from '../resources/card.ts'
import { type CardRecord, cardFields } from '../resources/card-fields.ts'
import { assertLibraryMedia, type MediaServices, readMedia } from './card-media.ts'

/** The parameters that say what a card is made of. They are judged one by one, so that errors name the exact place. */
const componentParams = {
  components: optional(nullable(describedAs(anything(), cardFields.components))),
  slides: optional(nullable(describedAs(anything(), cardFields.slides))),
}

/** Null is absent: clients send it for what they do not set (public practice). */
const oneOfBoth = mutuallyExclusive('components', 'slides')
const atLeastOne = atLeastOneOf('components', 'slides')

/** What a card is made of, as it is stored. */
interface CardContent {
  components: Component[] | null
  slides: Component[][] | null
  card_type: CardType | undefined
}

/** What a request says that a card is made of; undefined if it says nothing. */
function judgeContent({ components, slides }: { components?: unknown; slides?: unknown }): {
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
const mediaUses = ({ components, slides }: CardContent): MediaUse[] => [
  ...usesIn(components ?? [], 'components'),
  ...(slides ?? []).flatMap((slide, index) => usesIn(slide, `slides[${index}]`)),
]

const keysIn = ({ components, slides }: Pick<CardContent, 'components' | 'slides'>): string[] =>
  mediaKeysOf([...(components ?? []), ...(slides ?? []).flat()])

/** The media that a card did not have before: it keeps those that it had, in the library or not. */
function newUses({ components, slides }: CardRecord, content: CardContent): MediaUse[] {
  const kept = new Set(keysIn({ components, slides } as CardContent))
  return mediaUses(content).filter(({ key }) => !kept.has(key))
}

export const listCards = listEndpoint<MemberCaller, MemberServices>(Card, {
  name: 'listCards',
  route: 'GET /12/accounts/:account_id/cards',
  section: '§4.7',
  summary: 'List the cards of an account that are made of components, or with `include_legacy_cards` those of every kind.',
  auth: accountMember(),
  params: { account_id: adsId(), include_legacy_cards: defaulting(boolean(), false) },
  data: listOf(AnyCard.schema),
  page: { default: 100, max: 200 },
  scopeOf: ({ accountId }) => ({ account_id: accountId }),
  narrow: async ({ include_legacy_cards }, { accountId }) =>
    include_legacy_cards ? { scope: { account_id: accountId }, resource: AnyCard } : {},
})

export const getCard = getEndpoint(Card, {
  name: 'getCard',
  route: 'GET /12/accounts/:account_id/cards/:card_id',
  section: '§4.7',
  summary: 'Get a card that is made of components.',
  auth: accountMember(),
})

const example = {
  name: 'Spring',
  components: [
    { type: 'MEDIA', media_key: '3_1136048014974423040' },
    { type: 'DETAILS', title: 'Shop', destination: { type: 'WEBSITE', url: 'https://shop.example/' } },
  ],
}

export const createCard = adsEndpoint({
  name: 'createCard',
  route: 'POST /12/accounts/:account_id/cards',
  section: '§4.7',
  summary: 'Create a card from components, or from slides of components.',
  description:
    '`components` is one `MEDIA` or `SWIPEABLE_MEDIA` (2 to 6 items) and one `DETAILS` (website) or `BUTTON` (app), in the order in which they are ' +
    'shown. `slides` are 2 to 6 lists of one `MEDIA` and one `DETAILS`. Media must be in the media library of the account: images at least 800 pixels ' +
    'wide of 1:1 or 1.91:1, videos of 16:9 or 1:1, at most 10 minutes long; ratios within one percent. `card_type` follows from media and components. ' +
    'Null is absent, and undeclared members are ignored. An error names the exact place: `components[1].destination.url`.',
  auth: accountMember({ changes: 'creatives' }),
  body: 'json',
  params: { account_id: adsId(), name: cardFields.name, ...componentParams },
  rules: [atLeastOne, oneOfBoth],
  deferredRules: [{ message: 'the components must be those of a card' }],
  example,
  data: Card.schema,
  async handle({ params: { name, ...sent }, deferred, caller }, services: RecordServices & MediaServices & { ids: Ids }) {
    const { content, errors } = judgeContent(sent)
    deferred.against().throwWith(errors)
    const media = await readMedia(keysIn(content!), services)
    const card = await changeAccount(caller, services, async (transaction) => {
      await assertLibraryMedia(transaction, mediaUses(content!), media)
      return mustInsert(transaction, Card, { id: services.ids.next(), name, ...content })
    })
    return { data: await show(Card, card, caller.accountId, services) }
  },
})

export const updateCard = adsEndpoint({
  name: 'updateCard',
  route: 'PUT /12/accounts/:account_id/cards/:card_id',
  section: '§4.7',
  summary: 'Update a card. Each given field replaces the former; `card_type` follows from media and components again.',
  description: '`components` replace `slides`, and the other way round. Null is absent, and undeclared members are ignored.',
  auth: accountMember({ changes: 'creatives' }),
  body: 'json',
  params: { account_id: adsId(), card_id: adsId(), name: optional(nullable(cardFields.name)), ...componentParams },
  rules: [oneOfBoth],
  deferredRules: [{ message: 'the components must be those of a card' }],
  data: Card.schema,
  async handle({ params: { card_id, name, ...sent }, deferred, caller }, services: RecordServices & MediaServices) {
    const { content, errors } = judgeContent(sent)
    deferred.against().throwWith(errors)
    const media = await readMedia(content ? keysIn(content) : [], services)
    const card = await changeAccount(caller, services, async (transaction) => {
      const existing = await mustGet(transaction, Card, card_id)
      await assertLibraryMedia(transaction, content ? newUses(existing, content) : [], media)
      return transaction.update(Card, existing, { ...(name && { name }), ...content } as Partial<CardRecord>)
    })
    return { data: await show(Card, card, caller.accountId, services) }
  },
})

export const deleteCard = deleteEndpoint(Card, {
  name: 'deleteCard',
  route: 'DELETE /12/accounts/:account_id/cards/:card_id',
  section: '§4.7',
  summary: 'Delete a card that is made of components. Posts keep it.',
  auth: accountMember({ changes: 'creatives' }),
})

const MAX_URIS = 200

export const listAllCards = adsEndpoint({
  name: 'listAllCards',
  route: 'GET /12/accounts/:account_id/cards/all',
  section: '§4.7',
  summary: 'Get cards of any kind by their URIs, newest first.',
  auth: accountMember(),
  params: {
    account_id: adsId(),
    card_uris: listOf(cardFields.card_uri, { min: 1, max: MAX_URIS, example: ['card://1503831318555086849'] }),
    with_deleted: optional(boolean()),
  },
  data: AnyCard.list,
  isList: true,
  async handle({ params: { card_uris, with_deleted = false }, caller, giveWay }, services: { records: Records; now: () => number }) {
    const scope = { account_id: caller.accountId }
    const query = { scope, sort: [NEWEST_FIRST], withDeleted: with_deleted, limit: MAX_URIS }
    const rows = await services.records.rows(AnyCard, { ...query, filters: [{ field: 'card_uri', anyOf: card_uris }] })
    await giveWay()
    return new RecordsAnswer(AnyCard, rows, await shownRows(AnyCard, rows, scope, services), { next_cursor: null })
  },
})

export const getAnyCard = getEndpoint(AnyCard, {
  name: 'getAnyCard',
  route: 'GET /12/accounts/:account_id/cards/all/:card_id',
  section: '§4.7',
  summary: 'Get a card of any kind.',
  auth: accountMember(),
})
