import { type AdsCaller, earlyAccessUser } from '../../../access/ads-user.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { id, object, text } from '../../../api/declare/words.ts'
import type { Catalog, Catalogs } from '../../../storage/catalogs.ts'

/** A user of an app with early access to catalogs. */
export const catalogUser = earlyAccessUser('catalogs')

export const catalogName = text({ max: 255, example: 'Spring' })

/** The parameter of the path. */
export const catalogId = { product_catalog_id: id() }

export const catalogSchema = object({ id: id(), name: catalogName })

export const presentCatalog = ({ id, name }: Catalog) => ({ id, name })

export interface CatalogServices {
  catalogs: Catalogs
}

export const catalogNotFound = (catalogId: string) => adsProblem('NOT_FOUND', `Product catalog ${catalogId} was not found`)

/** The caller's own catalog. Throws 404 for an unknown one and for those of others. */
export async function ownCatalog({ catalogs }: CatalogServices, { user, adsHost }: AdsCaller, catalogId: string): Promise<Catalog> {
  const catalog = await catalogs.byId(catalogId)
  if (catalog?.userId !== user.id || catalog.host !== adsHost) throw catalogNotFound(catalogId)
  return catalog
}

/** Throws 403 if a user other than the caller is named. */
export function assertOwnUser({ user }: AdsCaller, userId: string | undefined) {
  if (userId === undefined || userId === user.id) return
  throw adsProblem('ACTION_NOT_ALLOWED', `user_id must be your own, ${user.id}: a catalog belongs to the user who calls`, 'user_id')
}
