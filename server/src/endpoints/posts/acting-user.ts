import { forbidden } from '../../api/declare/problem.ts'
import type { ContentTransaction } from '../../storage/content.ts'
import { userAccounts, users } from '../../storage/content-tables.ts'

const GONE = 'Your account is suspended or gone.'

const assertActive = (user: Record<string, unknown> | undefined) => {
  if (!user || user.disabled) throw forbidden(GONE)
}

/** Locks the user who acts, before posts. Throws 403 for one who was deleted or suspended since the request was authenticated. */
export async function lockActingUser(transaction: ContentTransaction, userId: string): Promise<void> {
  assertActive(await transaction.get(users, userId, ['disabled']))
}

/** The same for a user who may do several things at a time. */
export async function keepActingUser(transaction: ContentTransaction, userId: string): Promise<void> {
  assertActive(await transaction.keep(userAccounts, userId, ['disabled']))
}
