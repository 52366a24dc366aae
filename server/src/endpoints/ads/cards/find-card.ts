import { NEWEST_FIRST, type Records } from '../../../storage/records.ts'
import { AnyCard, type CardRecord } from '../resources/card.ts'

/** The card of an account with a URI, of any kind, which a post may carry; undefined if there is none or it is deleted. */
export async function findCard(
  { records }: { records: Pick<Records, 'list'> },
  uri: string,
  accountId: string,
): Promise<CardRecord | undefined> {
  const query = { scope: { account_id: accountId }, sort: [NEWEST_FIRST], withDeleted: false, limit: 1 }
  return (await records.list(AnyCard, { ...query, filters: [{ field: 'card_uri', anyOf: [uri] }] }))[0]
}
