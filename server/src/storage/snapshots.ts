/** Copies of the rows of a store, kept while this process lives. For tests that go back to an earlier state, in development. */
export interface Snapshots {
  /** Copies all rows under this name. Resolves to about how many bytes the copy takes. */
  save(name: string): Promise<number>
  /** Replaces all rows by those of the copy. Rows that were added since are gone, but their numbers are not used again. */
  restore(name: string): Promise<void>
  /** Deletes the copy. A name without a copy is passed over. */
  drop(name: string): Promise<void>
}

/** For a store whose rows another one copies. */
export const noSnapshots: Snapshots = { save: async () => 0, async restore() {}, async drop() {} }
