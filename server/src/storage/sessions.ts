import type { User } from './users.ts'

/** Browser sessions of the approval page, found by the SHA-256 of their id. */
export interface SessionStore {
  /** For a user who has just given the password. False when it was changed meanwhile, or the user disabled or deleted: then there is no session. */
  insert(id: string, user: Pick<User, 'id' | 'passwordHash'>, expiresAtMs: number, nowMs: number): Promise<boolean>
  userOf(id: string, nowMs: number): Promise<User | undefined>
  remove(id: string): Promise<void>
  /** Ends the sessions of a user: how many. */
  removeOf(userId: string, nowMs: number): Promise<number>
}
