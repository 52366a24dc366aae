import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { mustGet } from '../../../api/records/account-changes.ts'
import { changeEndpoint } from '../../../api/records/change-endpoint.ts'
import { isChanged } from '../../../api/records/record-rules.ts'
import { Account } from '../resources/account.ts'
import { Campaign } from '../resources/campaign.ts'
import { LineItem, type LineItemRecord } from '../resources/line-item.ts'
import { defaultPayBy } from '../resources/line-item-defaults.ts'
import { expandCategories } from './expand-categories.ts'
import { assertRoomForActive } from './line-item-limits.ts'
import { lineItemChanges } from './line-item-params.ts'
import { assertLineItemRules, lineItemRules } from './line-item-rules.ts'

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
    const errors = deferred.against(existing)
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
