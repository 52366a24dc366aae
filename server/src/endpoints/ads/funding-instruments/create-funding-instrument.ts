import { accountMember } from '../../../access/account-member.ts'
import { adsTime } from '../../../api/declare/ads-words.ts'
import { before } from '../../../api/declare/rules.ts'
import { optionals, pick } from '../../../api/declare/words.ts'
import { createEndpoint } from '../../../api/records/record-endpoints.ts'
import { FundingInstrument } from '../resources/funding-instrument.ts'

const { fields } = FundingInstrument

export const createFundingInstrument = createEndpoint(FundingInstrument, {
  name: 'createFundingInstrument',
  route: 'POST /12/accounts/:account_id/funding_instruments',
  section: '§4.8',
  summary: 'Create a funding instrument for a sandbox account.',
  auth: accountMember({ changes: 'campaigns' }),
  sandboxOnly: true,
  params: {
    ...pick(fields, 'type', 'currency'),
    start_time: adsTime(),
    ...optionals(pick(fields, 'end_time', 'credit_limit_local_micro', 'funded_amount_local_micro')),
  },
  rules: [before('start_time', 'end_time')],
})
