import { NEWEST_FIRST, type Records } from '../../../storage/records.ts'
import { LibraryMedia } from '../resources/library-media.ts'

/** Which of these media are in the media library of an account. */
export async function libraryKeysAmong(keys: readonly string[], accountId: string, { records }: { records: Records }): Promise<string[]> {
  const query = { scope: { account_id: accountId }, sort: [NEWEST_FIRST], withDeleted: false, limit: keys.length }
  const found = await records.list(LibraryMedia, { ...query, filters: [{ field: LibraryMedia.key, anyOf: keys }] })
  return found.map(({ media_key }) => media_key)
}
