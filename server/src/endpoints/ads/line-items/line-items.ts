import { accountMember } from '../../../access/account-member.ts'
import { adsId, adsTime } from '../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { nullable, oneOf, optional } from '../../../api/declare/words.ts'
import { mustGet, mustInsert, type RecordServices } from '../../../api/records/account-changes.ts'
import { batchEndpoint } from '../../../api/records/batch-endpoint.ts'
import { changeEndpoint } from '../../../api/records/change-endpoint.ts'
import { isChanged } from '../../../api/records/record-endpoints.ts'
import type { Ids } from '../../../lib/ids.ts'
import type { AccountTransaction } from '../../../storage/records.ts'
import { Account } from '../resources/account.ts'
import { Campaign } from '../resources/campaign.ts'
import { deleteLineItem, goals, LineItem, type LineItemRecord, payBys } from '../resources/line-item.ts'
import { defaultPayBy } from '../resources/line-item-defaults.ts'
import { expandCategories } from './expand-categories.ts'
import { assertLineItemRules, lineItemRules } from './line-item-rules.ts'

const MAX_ACTIVE = 256
const MAX_PER_CAMPAIGN = 100

/** Throws 400 if the campaign has its maximum of line items. */
function assertRoomInCampaign(siblings: readonly unknown[]) {
  if (siblings.length >= MAX_PER_CAMPAIGN)
    throw adsProblem('TOO_MANY_LINE_ITEMS', `A campaign can have at most ${MAX_PER_CAMPAIGN} line items`)
}

/** Throws 400 if the account has its maximum of active line items. */
async function assertRoomForActive(transaction: Pick<AccountTransaction, 'count'>) {
  if ((await transaction.count(LineItem, { entity_status: 'ACTIVE' }, MAX_ACTIVE)) >= MAX_ACTIVE)
    throw adsProblem('TOO_MANY_LINE_ITEMS', `An account can have at most ${MAX_ACTIVE} active line items`)
}

const { fields } = LineItem

/** The parameters for both creating and updating a line item (§4.8). */
const lineItemParams = {
  name: optional(fields.name),
  advertiser_domain: optional(fields.advertiser_domain),
  advertiser_user_id: optional(fields.advertiser_user_id),
  android_app_store_identifier: optional(fields.android_app_store_identifier),
  ios_app_store_identifier: optional(fields.ios_app_store_identifier),
  audience_expansion: optional(fields.audience_expansion),
  bid_amount_local_micro: optional(fields.bid_amount_local_micro),
  bid_strategy: optional(fields.bid_strategy),
  categories: optional(nullable(fields.categories)),
  duration_in_days: optional(fields.duration_in_days),
  entity_status: optional(fields.entity_status),
  start_time: optional(fields.start_time),
  end_time: optional(fields.end_time),
  frequency_cap: optional(fields.frequency_cap),
  goal: optional(fields.goal),
  pay_by: optional(fields.pay_by),
  standard_delivery: optional(fields.standard_delivery),
  total_budget_amount_local_micro: optional(fields.total_budget_amount_local_micro),
  daily_budget_amount_local_micro: optional(fields.daily_budget_amount_local_micro),
}

/** The parameters for updating a line item. Some allow fewer values than for creating one (§4.8). */
const lineItemChanges = {
  ...lineItemParams,
  entity_status: optional(oneOf(['ACTIVE', 'PAUSED'])),
  goal: optional(oneOf(goals)),
  pay_by: optional(oneOf(payBys)),
}

const { campaign_id, objective, placements, product_type } = LineItem.fields

/** Parameters that most rules need. Unless they are valid, no rule is checked. */
const NEEDED_BY_RULES = ['campaign_id', 'objective', 'placements', 'product_type']

/** The bid is ignored for `AUTO` (§4.8), whatever it is. */
const ignoredFor = (strategy: string | undefined) => (strategy === 'AUTO' ? ['bid_amount_local_micro'] : [])

export const createLineItem = changeEndpoint(LineItem, {
  name: 'createLineItem',
  route: 'POST /12/accounts/:account_id/line_items',
  section: '§4.8',
  summary: 'Create a line item.',
  description:
    'The currency and the funding instrument come from the campaign, whose line items all have the same objective and product type. ' +
    'Without `end_time` it has no end. The defaults of `goal`, `bid_strategy` and `pay_by` depend on the objective. ' +
    'A campaign has at most 100 line items, an account at most 256 active ones.',
  auth: accountMember({ changes: 'campaigns' }),
  params: { account_id: adsId(), ...lineItemParams, campaign_id, objective, placements, product_type, start_time: adsTime() },
  deferredRules: lineItemRules,
  async prepare({ params, deferred }) {
    const errors = deferred.against()
    if (!errors.areValid(NEEDED_BY_RULES)) errors.throwWith()
    return expandCategories(params, { objective: params.objective })
  },
  async change(transaction, { params: { account_id, ...given }, deferred, caller }, { ids }: RecordServices & { ids: Ids }) {
    const campaign = await mustGet(transaction, Campaign, given.campaign_id, 'campaign_id')
    const { features } = await mustGet(transaction, Account, account_id)
    const siblings = await transaction.find(LineItem, 'campaign_id', campaign.id)
    const defaults = LineItem.complete({ objective: given.objective })
    const id = ids.nextBase36()
    const after = LineItem.complete({ ...given, id }, campaign)
    assertLineItemRules(
      { after, isNew: true, changes: (field) => isChanged(defaults, after, field), campaign, siblings, app: caller.app, features },
      deferred.against({}, ignoredFor(given.bid_strategy)),
    )
    assertRoomInCampaign(siblings)
    if (after.entity_status === 'ACTIVE') await assertRoomForActive(transaction)
    return mustInsert(transaction, LineItem, { ...given, id })
  },
})

/** A `pay_by` that differs from the default was chosen, unless it could not be chosen now. */
const isPayByChosen = ({ goal, bid_strategy, pay_by }: LineItemRecord) =>
  pay_by !== defaultPayBy(goal, bid_strategy) && !(pay_by === 'IMPRESSION' && bid_strategy === 'TARGET')

/** The fields that follow from the sent ones: `AUTO` has no bid, and a default `pay_by` changes with the goal and the strategy. */
function dependentFields(before: LineItemRecord, given: Partial<LineItemRecord>): Partial<LineItemRecord> {
  const { goal, bid_strategy } = { ...before, ...given }
  const isMoved = goal !== before.goal || bid_strategy !== before.bid_strategy
  const follows = isMoved && given.pay_by === undefined && !isPayByChosen(before)
  return {
    ...(bid_strategy === 'AUTO' && { bid_amount_local_micro: null }),
    ...(follows && { pay_by: defaultPayBy(goal, bid_strategy) }),
  }
}

/** Removes a `pay_by` that changes nothing: it equals the existing one, or follows from the other fields. */
function withoutUnchangedPayBy(before: LineItemRecord, { pay_by, ...others }: Partial<LineItemRecord>): Partial<LineItemRecord> {
  const isSentBack = pay_by === before.pay_by && before.objective !== 'APP_INSTALLS' && pay_by !== 'IMPRESSION'
  const changesNothing = pay_by === undefined || isSentBack || pay_by === { ...before, ...dependentFields(before, others) }.pay_by
  return changesNothing ? others : { ...others, pay_by }
}

export const updateLineItem = changeEndpoint(LineItem, {
  name: 'updateLineItem',
  route: 'PUT /12/accounts/:account_id/line_items/:line_item_id',
  section: '§4.8',
  summary: 'Update a line item. Omitted fields keep their value; an empty value clears an optional field.',
  description:
    '`pay_by` can be changed only for the objective `APP_INSTALLS`. If it has the default of the goal and the strategy, it changes with ' +
    'them. A field sent with its current value counts as unchanged and is not validated.',
  auth: accountMember({ changes: 'campaigns' }),
  params: { account_id: adsId(), line_item_id: adsId(), ...lineItemChanges },
  deferredRules: lineItemRules,
  async change(transaction, { params: { account_id, line_item_id, ...sent }, deferred, caller }) {
    const existing = await mustGet(transaction, LineItem, line_item_id)
    const errors = deferred.against(existing, ignoredFor(sent.bid_strategy ?? existing.bid_strategy))
    const given = withoutUnchangedPayBy(existing, expandCategories(sent, existing))
    const campaign = await mustGet(transaction, Campaign, existing.campaign_id)
    const { features } = await mustGet(transaction, Account, account_id)
    const changed = { ...given, ...dependentFields(existing, given) }
    const after = { ...existing, ...changed }
    assertLineItemRules(
      { after, isNew: false, changes: (field) => isChanged(existing, given, field), campaign, siblings: [], app: caller.app, features },
      errors,
    )
    if (after.entity_status === 'ACTIVE' && existing.entity_status !== 'ACTIVE') await assertRoomForActive(transaction)
    return transaction.update(LineItem, existing, changed)
  },
})

export const batchLineItems = batchEndpoint({
  name: 'batchLineItems',
  route: 'POST /12/batch/accounts/:account_id/line_items',
  section: '§4.8',
  summary: 'Create, update and delete line items (atomic: all of them or none).',
  max: 40,
  changes: { Create: createLineItem, Update: updateLineItem, Delete: deleteLineItem },
})
