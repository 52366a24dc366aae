import type { User } from './users.ts'

/** Who is signed in at the approval page, by the SHA-256 of the session's id. */
export interface SessionStore {
  insert(id: string, userId: string, expiresAtMs: number, nowMs: number): Promise<void>
  userOf(id: string, nowMs: number): Promise<User | undefined>
  remove(id: string): Promise<void>
}
