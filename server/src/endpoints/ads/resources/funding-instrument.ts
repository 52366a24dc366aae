import { accountMember } from '../../../access/account-member.ts'
import { adsId, adsTime, letterCode, long } from '../../../api/declare/ads-words.ts'
import { before } from '../../../api/declare/rules.ts'
import { boolean, listOf, nullable, oneOf, optionals, pick, text } from '../../../api/declare/words.ts'
import { createEndpoint } from '../../../api/records/record-endpoints.ts'
import { resource } from '../../../api/records/resource.ts'
import { endsAfterStart, type RecordOf } from '../../../api/records/resource-declaration.ts'
import { regularEndpoints } from '../regular-endpoints.ts'

export const currency = letterCode(3, 'the code of a currency', { example: 'USD', description: 'Three letters, ISO 4217.' })

const fields = {
  account_id: adsId(),
  type: oneOf(['AGENCY_CREDIT_LINE', 'CREDIT_CARD', 'CREDIT_LINE', 'INSERTION_ORDER', 'PARTNER_MANAGED'], { example: 'CREDIT_CARD' }),
  description: text({ max: 255 }),
  currency,
  start_time: nullable(adsTime()),
  end_time: nullable(adsTime()),
  entity_status: oneOf(['ACTIVE', 'PAUSED']),
  able_to_fund: boolean(),
  reasons_not_able_to_fund: listOf(text()),
  io_header: nullable(text()),
  credit_limit_local_micro: nullable(long()),
  credit_remaining_local_micro: nullable(long()),
  funded_amount_local_micro: nullable(long()),
}

export type FundingRecord = RecordOf<typeof fields>

/** What its ability to fund follows from. */
const stateFields = ['able_to_fund', 'reasons_not_able_to_fund', 'entity_status', 'end_time', 'deleted'] as const

type FundingState = Pick<FundingRecord, (typeof stateFields)[number]>

const hasEnded = ({ end_time }: FundingState, nowMs: number) => end_time !== null && Date.parse(end_time) <= nowMs

/** Whether it can fund campaigns now. Lists call this for every campaign, so it does not collect the reasons. */
export const isAbleToFund = (funding: FundingState, nowMs: number): boolean =>
  funding.able_to_fund &&
  funding.reasons_not_able_to_fund.length === 0 &&
  funding.entity_status !== 'PAUSED' &&
  !funding.deleted &&
  !hasEnded(funding, nowMs)

/** Whether it can fund campaigns now, and the reasons why not: stored ones, and those of its status and end time. */
export function ableToFund(funding: FundingState, nowMs: number) {
  const { reasons_not_able_to_fund, entity_status, deleted } = funding
  const reasons = new Set([
    ...reasons_not_able_to_fund,
    ...(entity_status === 'PAUSED' ? ['PAUSED'] : []),
    ...(hasEnded(funding, nowMs) ? ['EXPIRED'] : []),
    ...(deleted ? ['DELETED'] : []),
  ])
  return { able_to_fund: isAbleToFund(funding, nowMs), reasons_not_able_to_fund: [...reasons] }
}

/** A source of money of an account, such as a credit line. */
export const FundingInstrument = resource({
  title: 'Funding instrument',
  name: 'funding_instruments',
  notFound: 'FUNDING_INSTRUMENT_NOT_FOUND',
  rateLimit: 'core',
  filters: { funding_instrument_ids: { anyOf: 'id' } },
  sortable: ['funded_amount_local_micro', 'start_time', 'end_time'],
  seedRules: [endsAfterStart],
  seedDefaults: { type: 'CREDIT_CARD', currency: 'USD' },
  defaults: {
    description: '(no payment method has been set up yet)',
    entity_status: 'ACTIVE',
    able_to_fund: true,
    reasons_not_able_to_fund: [],
  },
  fill: ({ credit_limit_local_micro, credit_remaining_local_micro }) => ({
    credit_remaining_local_micro: credit_remaining_local_micro ?? credit_limit_local_micro ?? null,
  }),
  derived: pick(fields, 'able_to_fund', 'reasons_not_able_to_fund'),
  derivedFrom: stateFields,
  derive: ableToFund,
  fields,
})

export const { listFundingInstruments, getFundingInstrument, deleteFundingInstrument } = regularEndpoints(FundingInstrument, {
  route: '/12/accounts/:account_id/funding_instruments',
  section: '§4.8',
  changes: 'campaigns',
  delete: { summary: 'Delete a funding instrument of a sandbox account.', sandboxOnly: true },
})

export const createFundingInstrument = createEndpoint(FundingInstrument, {
  name: 'createFundingInstrument',
  route: 'POST /12/accounts/:account_id/funding_instruments',
  section: '§4.8',
  summary: 'Create a funding instrument for a sandbox account.',
  auth: accountMember({ changes: 'campaigns' }),
  sandboxOnly: true,
  params: {
    ...pick(FundingInstrument.fields, 'type', 'currency'),
    start_time: adsTime(),
    ...optionals(pick(FundingInstrument.fields, 'end_time', 'credit_limit_local_micro', 'funded_amount_local_micro')),
  },
  rules: [before('start_time', 'end_time')],
})
