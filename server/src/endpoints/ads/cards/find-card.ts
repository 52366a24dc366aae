import { NEWEST_FIRST, type Records } from '../../../storage/records.ts'
import { Account, PRODUCTION } from '../resources/account.ts'
import { AnyCard } from '../resources/card.ts'
import type { CardRecord } from '../resources/card-fields.ts'

/** The card of an account with a URI, of any kind, which a post may carry; undefined if there is none or it is deleted. */
export async function findCard(
  { records }: { records: Pick<Records, 'list'> },
  uri: string,
  accountId: string,
): Promise<CardRecord | undefined> {
  const query = { scope: { account_id: accountId }, sort: [NEWEST_FIRST], withDeleted: false, limit: 1 }
  return (await records.list(AnyCard, { ...query, filters: [{ field: 'card_uri', anyOf: [uri] }] }))[0]
}

/** The most accounts of a user that are looked through. */
const MOST_ACCOUNTS = 1000

/** Finds out whether one of the accounts of which a user is a member, on the production host, has a card with a URI. */
export const createMayCarryCard = (services: { records: Pick<Records, 'list'> }) => async (uri: string, userId: string) => {
  const scope = { user_id: userId, host: PRODUCTION }
  const accounts = await services.records.list(Account, { scope, sort: [NEWEST_FIRST], withDeleted: false, limit: MOST_ACCOUNTS })
  for (const { id } of accounts) if (await findCard(services, uri, id)) return true
  return false
}
