import { accountMember } from '../../../access/account-member.ts'
import { adsId, adsTime } from '../../../api/declare/ads-words.ts'
import { before } from '../../../api/declare/rules.ts'
import { optional } from '../../../api/declare/words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { changing, mustInsert, type RecordServices } from '../../../api/records/record-endpoints.ts'
import { show } from '../../../api/records/show.ts'
import type { Ids } from '../../../lib/ids.ts'
import { FundingInstrument } from '../resources/funding-instrument.ts'

const { type, currency, end_time, credit_limit_local_micro, funded_amount_local_micro } = FundingInstrument.fields

export const createFundingInstrument = adsEndpoint({
  name: 'createFundingInstrument',
  route: 'POST /12/accounts/:account_id/funding_instruments',
  section: '§4.8',
  summary: 'Create a funding instrument for an account of the sandbox.',
  auth: accountMember({ changes: 'campaigns' }),
  sandboxOnly: true,
  params: {
    account_id: adsId(),
    type,
    currency,
    start_time: adsTime(),
    end_time: optional(end_time),
    credit_limit_local_micro: optional(credit_limit_local_micro),
    funded_amount_local_micro: optional(funded_amount_local_micro),
  },
  rules: [before('start_time', 'end_time')],
  data: FundingInstrument.schema,
  async handle({ params: { account_id, ...given }, caller }, services: RecordServices & { ids: Ids }) {
    const instrument = await changing(caller, services, (transaction) =>
      mustInsert(transaction, FundingInstrument, { ...given, id: services.ids.nextBase36() }),
    )
    return { data: await show(FundingInstrument, instrument, caller.accountId, services) }
  },
})
