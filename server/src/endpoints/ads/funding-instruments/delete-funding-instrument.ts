import { accountMember } from '../../../access/account-member.ts'
import { deleteEndpoint } from '../../../api/records/record-endpoints.ts'
import { FundingInstrument } from '../resources/funding-instrument.ts'

export const deleteFundingInstrument = deleteEndpoint(FundingInstrument, {
  name: 'deleteFundingInstrument',
  route: 'DELETE /12/accounts/:account_id/funding_instruments/:funding_instrument_id',
  section: '§4.8',
  summary: 'Delete a funding instrument of an account of the sandbox.',
  auth: accountMember({ changes: 'campaigns' }),
  sandboxOnly: true,
})
