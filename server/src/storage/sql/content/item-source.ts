/** Where the items of a list are read. */
export interface Source {
  from: string
  where: string
  key: string
  position: string
  /** The parameters of `where` and `groups`, `$1` and on. */
  values: readonly unknown[]
  /** The column with the time of an item. */
  time?: string
  /** A condition of the items that a viewer may know of. */
  isSeen?(viewer: string): string
  /** A query of the groups, `g`, that `where` is about: of each no more items are read than a page has. */
  groups?: string
}
