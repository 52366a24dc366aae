import type { GiveWay } from '../lib/fair-turns.ts'
import type { Claim, DueWork } from './due-work.ts'

/** A product catalog (§2.5): one for each user and advertising host. */
export interface Catalog {
  id: string
  host: string
  userId: string
  name: string
}

/** The attributes of a product that its owner sets, by name; null where unset. */
export type ProductAttributes = Readonly<Record<string, string | number | null>>

export interface Product {
  productKey: string
  /** Unique in its catalog. */
  id: string
  /** Grows with the order of first submission in the catalog. */
  position: number
  itemGroupId: string | null
  itemGroupKey: string | null
  attributes: ProductAttributes
}

/** A product without its place in the catalog. */
export type NewProduct = Omit<Product, 'position'>

export interface ProductsQuery {
  /** All products of this group. Without it only the first submitted product of each group is listed. */
  itemGroupKey?: string
  /** Only products submitted before the one at this position. */
  before?: number
  limit: number
}

export interface ProductFilter {
  attribute: string
  operator: string
  value: string
}

/** `PROCESSING` until a filtered set has all its products. */
export type ProcessingStatus = 'PROCESSING' | 'DONE' | 'FAILED'

export interface ProductSet {
  id: string
  catalogId: string
  name: string
  description: string | null
  type: 'MANUAL' | 'FILTERED'
  filters: readonly ProductFilter[]
  processingStatus: ProcessingStatus
}

/** A set with the ids of its products, in the order of their first submission: the first 10,000, in a list 200. */
export interface ProductSetWithIds extends ProductSet {
  productIds: string[]
}

/** A product in a set. */
export type Membership = readonly [setId: string, productKey: string]

/** A transaction on one catalog, which is locked: its changes run one at a time, over all processes. */
export interface CatalogTransaction {
  /** Products with one of these ids. */
  byIds(ids: readonly string[]): Promise<Product[]>
  /** Products with one of these keys. */
  byKeys(productKeys: readonly string[]): Promise<Product[]>
  /** Products submitted after the one at this position, in the order of their submission. */
  after(position: number, limit: number): Promise<Product[]>
  /** The keys of existing groups by their ids. */
  groupKeys(groupIds: readonly string[]): Promise<Map<string, string>>
  /** How many of so many new products the catalog can take without having more than `maxProducts`. */
  room(wanted: number, maxProducts: number): Promise<number>
  /** Adds products with new keys and ids. */
  add(products: readonly NewProduct[]): Promise<void>
  /** Replaces the groups and attributes of products with these keys. */
  replace(products: readonly NewProduct[]): Promise<void>
  /** Deletes products, and takes them out of every set. */
  remove(productKeys: readonly string[]): Promise<void>
  sets(): Promise<ProductSet[]>
  /** A page of the sets of type `FILTERED` after this id, in the order of their ids. */
  filteredSets(after: string, limit: number): Promise<ProductSet[]>
  /** Returns why the set was not added: the catalog has its maximum of sets, or another set has the id. */
  addSet(set: ProductSet, productKeys: readonly string[], nowMs: number, maxSets: number): Promise<'limit' | 'id-taken' | undefined>
  set(id: string): Promise<ProductSet | undefined>
  /** Changes name and description, and replaces the products if `productKeys` are given. Resolves with the set as it is then. */
  updateSet(
    id: string,
    changes: Partial<Pick<ProductSet, 'name' | 'description'>>,
    productKeys?: readonly string[],
  ): Promise<ProductSetWithIds>
  /** Deletes a set. Its memberships are deleted as those of a deleted catalog, which gets this new id. */
  removeSet(id: string, removalId: string, nowMs: number): Promise<void>
  /** Puts products into sets, and takes others out of sets. */
  changeMembers(added: readonly Membership[], removed: readonly Membership[]): Promise<void>
  /** Up to which position the products have been filtered into a set that is being processed. */
  processedTo(setId: string): Promise<number | undefined>
  /** Records how far a set is processed; `DONE` ends it. */
  setProcessed(claim: Claim, processedTo: number, status: ProcessingStatus): Promise<void>
}

export interface Catalogs {
  of(host: string, userId: string): Promise<Catalog | undefined>
  byId(id: string): Promise<Catalog | undefined>
  /** Returns false if the user has one already. */
  create(catalog: Catalog, nowMs: number): Promise<boolean>
  /** Returns false if there is no such catalog. */
  rename(id: string, name: string): Promise<boolean>
  /** Deletes a catalog: nothing finds it any more. What it has is a removal, which is due. Returns false if there is no such catalog. */
  remove(id: string, nowMs: number): Promise<boolean>
  /** Deletes a slice of what a deleted catalog has. Returns false once there is no more, nor the catalog. */
  removeSlice(id: string): Promise<boolean>
  /** Deletes all that deleted catalogs of a user have, so that their ids are free. */
  finishRemovals(userId: string): Promise<void>
  /** Newest first. */
  products(catalogId: string, query: ProductsQuery, giveWay?: GiveWay): Promise<Product[]>
  /** A page of sets before this id, newest first. */
  sets(catalogId: string, before: string | undefined, limit: number, giveWay?: GiveWay): Promise<ProductSetWithIds[]>
  set(catalogId: string, id: string, giveWay?: GiveWay): Promise<ProductSetWithIds | undefined>
  /** The catalog of a set. */
  catalogOfSet(setId: string): Promise<string | undefined>
  /** Runs a transaction on a catalog. Undefined if there is no such catalog. */
  change<T>(catalogId: string, run: (transaction: CatalogTransaction) => Promise<T>): Promise<T | undefined>
  /** Filtered sets that wait for their products. */
  dueSets: DueWork
  /** Deleted catalogs that still have something. */
  dueRemovals: DueWork
}

/** Checks of the images that products link to: each URL is fetched at most once a day. */
export interface ImageChecks extends DueWork {
  /**
   * Has URLs checked that were not checked within a day. Those beyond the limits of the queue are left out. Of a catalog with many that
   * wait, further ones wait longer, so that its slow hosts do not hold up the images of others.
   */
  request(catalogId: string, urls: readonly string[], nowMs: number): Promise<void>
  /** What is wrong with the images, by URL. A URL without a problem, or not checked yet, is missing. */
  problems(urls: readonly string[]): Promise<Map<string, string>>
  urlOf(claim: Claim): Promise<string | undefined>
  /** Records the result of a check: what is wrong, or null. */
  checked(claim: Claim, problem: string | null, nowMs: number): Promise<void>
}
