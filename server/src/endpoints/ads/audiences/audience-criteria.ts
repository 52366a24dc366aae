import { adsProblem } from '../../../api/declare/problem.ts'
import type { OfAccount, RecordServices } from '../../../api/records/account-changes.ts'
import { show } from '../../../api/records/show.ts'
import type { AccountTransaction } from '../../../storage/records.ts'
import { type ReasonNotTargetable, sayReason } from '../resources/audience-state.ts'
import { CustomAudience } from '../resources/custom-audience.ts'
import { findAudience } from './find-audience.ts'

/** The types of targeting criteria whose value is an audience. */
export const audienceTargetingTypes: readonly string[] = ['CUSTOM_AUDIENCE', 'CUSTOM_AUDIENCE_EXPANDED']

const notFound = (id: string) =>
  adsProblem('TAILORED_AUDIENCE_OR_TAILORED_AUDIENCE_EXPANDED_NOT_FOUND', `Custom audience ${id} was not found`, 'targeting_value')

interface NewCriterion {
  targeting_type: string
  targeting_value: string
}

/**
 * Resolves to a new criterion with the id of its audience as it is stored. Throws 404 if the account neither has the audience nor shares it,
 * and 400 for one that cannot be targeted now.
 */
export async function withTargetableAudience<Criterion extends NewCriterion>(
  criterion: Criterion,
  caller: OfAccount,
  services: RecordServices,
): Promise<Criterion> {
  const { targeting_type, targeting_value } = criterion
  if (!audienceTargetingTypes.includes(targeting_type)) return criterion
  const id = targeting_value.toLowerCase()
  const found = await findAudience(id, caller, services)
  if (!found) throw notFound(targeting_value)
  const shown = await show(CustomAudience, found.audience, caller.accountId, services)
  if (!shown.targetable) {
    const reasons = shown.reasons_not_targetable as ReasonNotTargetable[]
    const said = reasons.map((reason) => sayReason(reason, shown.audience_size as number | null))
    throw adsProblem('INVALID', `Custom audience ${id} cannot be targeted: ${said.join(', ')}`, 'targeting_value')
  }
  return { ...criterion, targeting_value: id }
}

/** Throws 404 in the transaction of a new criterion whose audience is one of the account that was deleted meanwhile. */
export async function assertAudienceRemains(transaction: Pick<AccountTransaction, 'get'>, criterion: NewCriterion): Promise<void> {
  const { targeting_type, targeting_value: id } = criterion
  if (!audienceTargetingTypes.includes(targeting_type)) return
  if ((await transaction.get(CustomAudience, id, true))?.deleted) throw notFound(id)
}
