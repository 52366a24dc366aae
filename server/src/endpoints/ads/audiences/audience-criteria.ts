import { adsProblem } from '../../../api/declare/problem.ts'
import type { OfAccount, RecordServices } from '../../../api/records/account-changes.ts'
import { show } from '../../../api/records/show.ts'
import { type ReasonNotTargetable, sayReason } from '../resources/audience-state.ts'
import { CustomAudience } from '../resources/custom-audience.ts'
import { findAudience } from './find-audience.ts'

/** The types of targeting criteria whose value is an audience. */
export const audienceTargetingTypes: readonly string[] = ['CUSTOM_AUDIENCE', 'CUSTOM_AUDIENCE_EXPANDED']

const NOT_FOUND = 'TAILORED_AUDIENCE_OR_TAILORED_AUDIENCE_EXPANDED_NOT_FOUND'

/**
 * Resolves to a new criterion with the id of its audience as it is stored. Throws 404 if the account neither has the audience nor shares it,
 * and 400 for one that cannot be targeted now.
 */
export async function withTargetableAudience<Criterion extends { targeting_type: string; targeting_value: string }>(
  criterion: Criterion,
  caller: OfAccount,
  services: RecordServices,
): Promise<Criterion> {
  const { targeting_type, targeting_value } = criterion
  if (!audienceTargetingTypes.includes(targeting_type)) return criterion
  const id = targeting_value.toLowerCase()
  const found = await findAudience(id, caller, services)
  if (!found) throw adsProblem(NOT_FOUND, `Custom audience ${targeting_value} was not found`, 'targeting_value')
  const shown = await show(CustomAudience, found.audience, caller.accountId, services)
  if (!shown.targetable) {
    const reasons = shown.reasons_not_targetable as ReasonNotTargetable[]
    const said = reasons.map((reason) => sayReason(reason, shown.audience_size as number | null))
    throw adsProblem('INVALID', `Custom audience ${id} cannot be targeted: ${said.join(', ')}`, 'targeting_value')
  }
  return { ...criterion, targeting_value: id }
}
