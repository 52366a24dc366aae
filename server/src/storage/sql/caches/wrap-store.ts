/**
 * What a wrapper says of each method of a store: its own implementation, or why the store's own will do. `reads`: it is asked of the
 * database each time. `writes`: the store announces what it changes, and caches listen to that.
 */
export type Wrapping<Store> = { [Method in keyof Store]: Store[Method] | 'reads' | 'writes' }

/** The same store with methods of the wrapper's. A method that is new in the store has to be named in every wrapper of it. */
export const wrapStore = <Store extends object>(store: Store, wrapping: Wrapping<Store>): Store =>
  Object.fromEntries(
    Object.entries(wrapping).map(([name, method]) => [name, typeof method === 'string' ? store[name as keyof Store] : method]),
  ) as Store
