import { adsProblem } from '../../../api/declare/problem.ts'
import type { AccountTransaction } from '../../../storage/records.ts'
import { LineItem } from '../resources/line-item.ts'

const MOST_ACTIVE = 256
const MOST_OF_CAMPAIGN = 100

/** Throws 400 when the campaign has as many line items as it may. */
export function assertRoomInCampaign(siblings: readonly unknown[]) {
  if (siblings.length >= MOST_OF_CAMPAIGN)
    throw adsProblem('TOO_MANY_LINE_ITEMS', `A campaign can have at most ${MOST_OF_CAMPAIGN} line items`)
}

/** Throws 400 when the account has as many active line items as it may. */
export async function assertRoomForActive(transaction: Pick<AccountTransaction, 'count'>) {
  if ((await transaction.count(LineItem, { entity_status: 'ACTIVE' }, MOST_ACTIVE)) >= MOST_ACTIVE)
    throw adsProblem('TOO_MANY_LINE_ITEMS', `An account can have at most ${MOST_ACTIVE} active line items`)
}
