/** A user of the service. */
export interface User {
  id: string
  username: string
  name: string
  /** An argon2id hash in PHC format; null if the user cannot sign in with a password. */
  passwordHash: string | null
  createdAtMs: number
}

export interface UserStore {
  byId(id: string): Promise<User | undefined>
  /** Case-insensitive. */
  byUsername(username: string): Promise<User | undefined>
  /** Returns false, and changes nothing, if the id or the username is taken. */
  insert(user: User): Promise<boolean>
}
