import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { boolean, listOf, optional } from '../../../api/declare/words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { deleteEndpoint, getEndpoint } from '../../../api/records/record-endpoints.ts'
import { showAll } from '../../../api/records/show.ts'
import { NEWEST_FIRST, type Records } from '../../../storage/records.ts'
import { AnyCard, Card } from '../resources/card.ts'
import { cardFields } from '../resources/card-fields.ts'

const MAX_URIS = 200

export const getCard = getEndpoint(Card, {
  name: 'getCard',
  route: 'GET /12/accounts/:account_id/cards/:card_id',
  section: '§4.7',
  summary: 'Get a card that is made of components.',
  auth: accountMember(),
})

export const deleteCard = deleteEndpoint(Card, {
  name: 'deleteCard',
  route: 'DELETE /12/accounts/:account_id/cards/:card_id',
  section: '§4.7',
  summary: 'Delete a card that is made of components. Posts keep it.',
  auth: accountMember({ changes: 'creatives' }),
})

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
  async handle({ params: { card_uris, with_deleted = false }, caller }, services: { records: Records; now: () => number }) {
    const query = { scope: { account_id: caller.accountId }, sort: [NEWEST_FIRST], withDeleted: with_deleted, limit: MAX_URIS }
    const cards = await services.records.list(AnyCard, { ...query, filters: [{ field: 'card_uri', anyOf: card_uris }] })
    return { data: await showAll(AnyCard, cards, caller.accountId, services), next_cursor: null }
  },
})

export const getAnyCard = getEndpoint(AnyCard, {
  name: 'getAnyCard',
  route: 'GET /12/accounts/:account_id/cards/all/:card_id',
  section: '§4.7',
  summary: 'Get a card of any kind.',
  auth: accountMember(),
})
