import { accountMember, type MemberCaller, type MemberServices } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { boolean, defaulting, listOf } from '../../../api/declare/words.ts'
import { listEndpoint } from '../../../api/records/list-endpoint.ts'
import { AnyCard, Card } from '../resources/card.ts'

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
