import { adsProblem } from '../../../api/declare/problem.ts'
import type { Records } from '../../../storage/records.ts'
import { findCard } from '../cards/find-card.ts'

/** Throws unless the account has a card with this URI (§4.7) that is not deleted. */
export async function assertOwnCard(cardUri: string, accountId: string, services: { records: Records }): Promise<void> {
  if (!(await findCard(services, cardUri, accountId)))
    throw adsProblem('CARD_NOT_FOUND', `There is no card ${cardUri} in the account`, 'card_uri')
}
