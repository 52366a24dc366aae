import { adsProblem } from '../../../api/declare/problem.ts'
import type { AccountTransaction } from '../../../storage/records.ts'
import { CustomAudience } from '../resources/custom-audience.ts'

/** Throws 400 if another audience of the account has the name (public practice). */
export async function assertNameIsFree(transaction: Pick<AccountTransaction, 'count'>, name: string) {
  if ((await transaction.count(CustomAudience, { name }, 1)) > 0)
    throw adsProblem('INVALID', `The account has a custom audience with the name ${name} already`, 'name')
}
