/** A user of the service. */
export interface User {
  id: string
  username: string
  name: string
  /** An argon2id hash in PHC form; null when the user cannot sign in with a password. */
  passwordHash: string | null
  createdAtMs: number
}

export interface UserStore {
  byId(id: string): Promise<User | undefined>
  /** Usernames differ by more than case. */
  byUsername(username: string): Promise<User | undefined>
  /** False when the id or the username is taken; then nothing changes. */
  insert(user: User): Promise<boolean>
}
