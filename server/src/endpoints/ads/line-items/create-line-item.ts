import { accountMember } from '../../../access/account-member.ts'
import { adsId, adsTime } from '../../../api/declare/ads-words.ts'
import { mustGet, mustInsert, type RecordServices } from '../../../api/records/account-changes.ts'
import { changeEndpoint } from '../../../api/records/change-endpoint.ts'
import { isChanged } from '../../../api/records/record-rules.ts'
import type { Ids } from '../../../lib/ids.ts'
import { Account } from '../resources/account.ts'
import { Campaign } from '../resources/campaign.ts'
import { LineItem } from '../resources/line-item.ts'
import { expandCategories } from './expand-categories.ts'
import { assertRoomForActive, assertRoomInCampaign } from './line-item-limits.ts'
import { lineItemParams } from './line-item-params.ts'
import { assertLineItemRules, lineItemRules } from './line-item-rules.ts'

const { campaign_id, objective, placements, product_type } = LineItem.fields

/** Parameters that most rules need. Unless they are valid, no rule is checked. */
const NEEDED_BY_RULES = ['campaign_id', 'objective', 'placements', 'product_type']

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
      deferred.against(),
    )
    assertRoomInCampaign(siblings)
    if (after.entity_status === 'ACTIVE') await assertRoomForActive(transaction)
    return mustInsert(transaction, LineItem, { ...given, id })
  },
})
