import { adsProblem } from '../../../api/declare/problem.ts'

/** Throws unless the account has a card with this URI (§4.7) that is not deleted. */
export async function assertOwnCard(cardUri: string): Promise<void> {
  throw adsProblem('CARD_NOT_FOUND', `There is no card ${cardUri} in the account`, 'card_uri')
}
