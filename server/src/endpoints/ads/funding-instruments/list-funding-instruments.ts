import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { listEndpoint } from '../../../api/records/list-endpoint.ts'
import { FundingInstrument } from '../resources/funding-instrument.ts'

export const listFundingInstruments = listEndpoint(FundingInstrument, {
  name: 'listFundingInstruments',
  route: 'GET /12/accounts/:account_id/funding_instruments',
  section: '§4.8',
  summary: 'List the funding instruments of an account.',
  auth: accountMember(),
  params: { account_id: adsId() },
  ids: { funding_instrument_ids: 'id' },
  scopeOf: ({ accountId }) => ({ account_id: accountId }),
})
