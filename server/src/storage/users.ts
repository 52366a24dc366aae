/** A user of the service. */
export interface User {
  id: string
  username: string
  name: string
  /** An argon2id hash in PHC format; null if the user cannot sign in with a password. */
  passwordHash: string | null
  /** A disabled user cannot sign in, and the user's access tokens are refused. */
  disabled: boolean
  createdAtMs: number
}

type UserChanges = Partial<Pick<User, 'passwordHash' | 'disabled'>>

export interface UserQuery {
  /** Case-insensitive. */
  username?: string
  /** Only those whose id sorts after this, as a text. */
  after: string | null
  limit: number
}

export interface UserStore {
  byId(id: string): Promise<User | undefined>
  /** Case-insensitive. */
  byUsername(username: string): Promise<User | undefined>
  /** In the order of their ids. */
  list(query: UserQuery): Promise<User[]>
  /** Returns false, and changes nothing, if the id or the username is taken. */
  insert(user: User): Promise<boolean>
  /**
   * All or nothing. A new password, and disabling, end the user's sessions and the sign-ins that the user has allowed and that are not
   * exchanged for an access token. The user after the change, or undefined when there is none of that id.
   */
  update(id: string, changes: UserChanges): Promise<User | undefined>
  /**
   * Deletes a user with all sessions, access tokens, allowed sign-ins and memberships, and every subscription that is filtered to the user,
   * all or nothing. False when there is none of that id.
   */
  remove(id: string): Promise<boolean>
}

/** Browser sessions of the approval page, found by the SHA-256 of their id. */
export interface SessionStore {
  /** For a user who has just given the password. False when it was changed meanwhile, or the user disabled or deleted: then there is no session. */
  insert(id: string, user: Pick<User, 'id' | 'passwordHash'>, expiresAtMs: number, nowMs: number): Promise<boolean>
  userOf(id: string, nowMs: number): Promise<User | undefined>
  remove(id: string): Promise<void>
  /** Ends the sessions of a user: how many. */
  removeOf(userId: string, nowMs: number): Promise<number>
}

/** From which addresses users signed in with the right password: the newest 20 of each user, as hashes. */
export interface SignInAddresses {
  /** Stores an address, unless the user's password was changed after it was verified, or the user disabled. */
  remember(user: Pick<User, 'id' | 'passwordHash'>, address: string, nowMs: number): Promise<void>
  /** Whether the user signed in from the address at a moment or later. */
  isKnown(userId: string, address: string, sinceMs: number): Promise<boolean>
}
