import type { User } from './users.ts'

/** From which addresses users signed in with the right password: the newest 20 of each user, as hashes. */
export interface SignInAddresses {
  /** Stores an address, unless the user's password was changed after it was verified, or the user disabled. */
  remember(user: Pick<User, 'id' | 'passwordHash'>, address: string, nowMs: number): Promise<void>
  /** Whether the user signed in from the address at a moment or later. */
  isKnown(userId: string, address: string, sinceMs: number): Promise<boolean>
}
