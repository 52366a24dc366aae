import { Problem } from '../../api/declare/problem.ts'
import { directions } from '../../delivery/events/event-type.ts'
import { eventTypes } from '../../delivery/events/event-types.ts'
import { keywordError } from '../../delivery/keywords.ts'
import type { SubscriptionFilter } from '../../storage/subscriptions.ts'
import { LONGEST_KEYWORD } from './subscription-view.ts'

const malformed = (detail: string) => new Problem('invalid-rules', { detail })

const readUserId = (value: unknown): string => {
  if (typeof value !== 'string' || !/^[0-9]{1,19}$/.test(value))
    throw malformed('filter.user_id must be a user id, a text of 1 to 19 digits')
  return value
}

const readKeyword = (value: unknown): string => {
  if (typeof value !== 'string' || value.trim() === '' || [...value].length > LONGEST_KEYWORD)
    throw malformed(`filter.keyword must be a text of 1 to ${LONGEST_KEYWORD} characters`)
  const error = keywordError(value)
  if (error !== undefined) throw malformed(`filter.keyword: ${error}`)
  return value
}

const readDirection = (value: unknown) => {
  if (typeof value !== 'string' || !Object.hasOwn(directions, value))
    throw malformed(`filter.direction must be one of ${Object.keys(directions).join(', ')}; leave it out for both`)
  return directions[value as keyof typeof directions]
}

const readers = {
  user_id: { member: 'userId', read: readUserId },
  keyword: { member: 'keyword', read: readKeyword },
  direction: { member: 'direction', read: readDirection },
} as const

type Member = keyof typeof readers

/**
 * Reads the filter of a subscription to a canonical event type. `invalid-rules`: it is malformed. `noncompliant-rules`: its event type
 * cannot have it, or needs more: a private one needs the user.
 */
export function checkFilter(eventType: string, sent: Record<string, unknown>): SubscriptionFilter {
  const allowed = eventTypes[eventType]!
  const filter: SubscriptionFilter = {}
  for (const [name, value] of Object.entries(sent)) {
    if (!Object.hasOwn(readers, name)) throw malformed(`filter.${name} is not one of user_id, keyword, direction`)
    const { member, read } = readers[name as Member]
    Object.assign(filter, { [member]: read(value) })
    if (!allowed.filter.includes(member)) throw new Problem('noncompliant-rules', { detail: `${eventType} cannot be filtered by ${name}` })
  }
  const isSelective = filter.userId !== undefined || (filter.keyword !== undefined && allowed.consent === null)
  if (!isSelective && !allowed.unfiltered) {
    const sufficient = allowed.consent === null ? (['user_id', 'keyword'] as const) : (['user_id'] as const)
    const needed = sufficient.filter((name) => allowed.filter.includes(readers[name].member))
    throw new Problem('noncompliant-rules', { detail: `${eventType} needs ${needed.map((name) => `filter.${name}`).join(' or ')}` })
  }
  return filter
}
