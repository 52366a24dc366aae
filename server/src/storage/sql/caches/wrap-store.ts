/**
 * A wrapper's declaration for each method of a store: its own implementation, or why the store's own is used. `reads`: it reads from the
 * database each time. `writes`: the store announces its changes, and caches listen to them.
 */
export type Wrapping<Store> = { [Method in keyof Store]: Store[Method] | 'reads' | 'writes' }

/** Wraps a store. A new method of the store must be named in every wrapper, or it does not compile. */
export const wrapStore = <Store extends object>(store: Store, wrapping: Wrapping<Store>): Store =>
  Object.fromEntries(
    Object.entries(wrapping).map(([name, method]) => [name, typeof method === 'string' ? store[name as keyof Store] : method]),
  ) as Store
