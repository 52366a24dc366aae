import { adsProblem } from '../../../api/declare/problem.ts'
import type { AccountTransaction } from '../../../storage/records.ts'
import { LineItem } from '../resources/line-item.ts'

const MAX_ACTIVE = 256
const MAX_PER_CAMPAIGN = 100

/** Throws 400 if the campaign has its maximum of line items. */
export function assertRoomInCampaign(siblings: readonly unknown[]) {
  if (siblings.length >= MAX_PER_CAMPAIGN)
    throw adsProblem('TOO_MANY_LINE_ITEMS', `A campaign can have at most ${MAX_PER_CAMPAIGN} line items`)
}

/** Throws 400 if the account has its maximum of active line items. */
export async function assertRoomForActive(transaction: Pick<AccountTransaction, 'count'>) {
  if ((await transaction.count(LineItem, { entity_status: 'ACTIVE' }, MAX_ACTIVE)) >= MAX_ACTIVE)
    throw adsProblem('TOO_MANY_LINE_ITEMS', `An account can have at most ${MAX_ACTIVE} active line items`)
}
