/** What belongs to a world besides its app, whose id is the world's. */
export interface World {
  userIds: readonly string[]
  accountId: string
}

/** Worlds: an app with users and an advertising account, made for one test and removed after it. In development. */
export interface WorldStore {
  add(id: string, world: World): Promise<void>
  find(id: string): Promise<World | undefined>
  count(): Promise<number>
  /**
   * Removes what the deletion of the app and the users leaves: advertising accounts that only these users are members of, with their records
   * and history, messages, and terms of posts. Calls `removeThem` in between, which deletes the app and the users.
   */
  remove(id: string, world: World, removeThem: () => Promise<void>): Promise<void>
}
