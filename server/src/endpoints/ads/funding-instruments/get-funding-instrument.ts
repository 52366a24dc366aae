import { accountMember } from '../../../access/account-member.ts'
import { getEndpoint } from '../../../api/records/record-endpoints.ts'
import { FundingInstrument } from '../resources/funding-instrument.ts'

export const getFundingInstrument = getEndpoint(FundingInstrument, {
  name: 'getFundingInstrument',
  route: 'GET /12/accounts/:account_id/funding_instruments/:funding_instrument_id',
  section: '§4.8',
  summary: 'Get a funding instrument.',
  auth: accountMember(),
})
