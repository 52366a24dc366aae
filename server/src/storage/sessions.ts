import type { User } from './users.ts'

/** Browser sessions of the approval page, found by the SHA-256 of their id. */
export interface SessionStore {
  insert(id: string, userId: string, expiresAtMs: number, nowMs: number): Promise<void>
  userOf(id: string, nowMs: number): Promise<User | undefined>
  remove(id: string): Promise<void>
}
