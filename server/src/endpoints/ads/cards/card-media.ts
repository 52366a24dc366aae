import { mustGet } from '../../../api/records/account-changes.ts'
import type { Content } from '../../../storage/content.ts'
import type { AccountTransaction } from '../../../storage/records.ts'
import { assertMedia, type MediaUse } from '../card-rules/card-media.ts'
import { mediaByKey, type StoredMedia } from '../media/stored-media.ts'
import { Account } from '../resources/account.ts'
import type { FeatureKey } from '../resources/feature-keys.ts'
import { LibraryMedia } from '../resources/library-media.ts'

export interface MediaServices {
  content: Pick<Content, 'rows'>
}

/** The media with these keys, before the transaction: media never change. */
export const readMedia = (keys: Iterable<string>, { content }: MediaServices): Promise<Map<string, StoredMedia>> =>
  mediaByKey(content, keys)

/** Throws unless all media are in the account's library and what the card needs. */
export async function assertLibraryMedia(
  transaction: AccountTransaction,
  uses: readonly MediaUse[],
  media: ReadonlyMap<string, StoredMedia>,
) {
  if (uses.length === 0) return
  const own = await transaction.among(LibraryMedia, [...new Set(uses.map(({ key }) => key))])
  assertMedia(uses, media, new Set(own.map(({ media_key }) => media_key)))
}

/** The features of the account that is changed. */
export const featuresOf = async (transaction: AccountTransaction, accountId: string): Promise<readonly FeatureKey[]> =>
  (await mustGet(transaction, Account, accountId)).features
