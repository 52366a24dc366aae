import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { changesOf, changing, mustGet, type RecordServices } from '../../../api/records/record-endpoints.ts'
import { show } from '../../../api/records/show.ts'
import { Account } from '../accounts/account.ts'
import { Campaign } from '../campaigns/campaign.ts'
import { LineItem, type LineItemRecord } from './line-item.ts'
import { usualPayBy } from './line-item-defaults.ts'
import { assertRoomForActive } from './line-item-limits.ts'
import { lineItemChanges } from './line-item-params.ts'
import { assertLineItemRules, lineItemRules } from './line-item-rules.ts'
import { withWholeCategories } from './whole-categories.ts'

/** What changes with what was sent: `AUTO` has no bid, and what is usually paid by goes with the goal and the strategy. */
function following(before: LineItemRecord, given: Partial<LineItemRecord>): Partial<LineItemRecord> {
  const { goal, bid_strategy } = { ...before, ...given }
  const paysAsUsual = before.pay_by === usualPayBy(before.goal, before.bid_strategy)
  return {
    ...(bid_strategy === 'AUTO' && { bid_amount_local_micro: null }),
    ...(given.pay_by === undefined && paysAsUsual && { pay_by: usualPayBy(goal, bid_strategy) }),
  }
}

/** What was sent without a `pay_by` that nobody chose: it stands, or follows from the rest. */
function chosen(before: LineItemRecord, { pay_by, ...others }: Partial<LineItemRecord>): Partial<LineItemRecord> {
  const isSentBack = pay_by === before.pay_by && before.objective !== 'APP_INSTALLS' && pay_by !== 'IMPRESSION'
  const isNoChoice = pay_by === undefined || isSentBack || pay_by === following(before, others).pay_by
  return isNoChoice ? others : { ...others, pay_by }
}

export const updateLineItem = adsEndpoint({
  name: 'updateLineItem',
  route: 'PUT /12/accounts/:account_id/line_items/:line_item_id',
  section: '§4.8',
  summary: 'Change a line item. What is not sent stays as it is; an empty value unsets what is optional.',
  description:
    '`pay_by` is changed for the objective `APP_INSTALLS` alone; where it is what the goal and the strategy usually bring, it goes with ' +
    'them. A value that is sent as it stands is no change, whatever it is.',
  auth: accountMember({ changes: 'campaigns' }),
  params: { account_id: adsId(), line_item_id: adsId(), ...lineItemChanges },
  deferredRules: lineItemRules,
  data: LineItem.schema,
  async handle({ params: { account_id, line_item_id, ...sent }, deferred, caller }, services: RecordServices) {
    const lineItem = await changing(caller, services, async (transaction) => {
      const existing = await mustGet(transaction, LineItem, line_item_id)
      const findings = deferred.against(existing)
      const given = chosen(existing, withWholeCategories(sent, existing))
      const campaign = await mustGet(transaction, Campaign, existing.campaign_id)
      const { features } = await mustGet(transaction, Account, account_id)
      const changed = { ...given, ...following(existing, given) }
      const after = { ...existing, ...changed }
      assertLineItemRules(
        { after, isNew: false, changes: changesOf(existing, given), campaign, siblings: [], app: caller.app, features },
        findings,
      )
      if (after.entity_status === 'ACTIVE' && existing.entity_status !== 'ACTIVE') await assertRoomForActive(transaction)
      return transaction.update(LineItem, existing, changed)
    })
    return { data: await show(LineItem, lineItem, caller.accountId, services) }
  },
})
