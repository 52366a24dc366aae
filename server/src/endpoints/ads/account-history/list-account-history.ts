import { accountMember, type MemberCaller } from '../../../access/account-member.ts'
import { adsHour, adsId, adsTime, decimalId } from '../../../api/declare/ads-words.ts'
import { before } from '../../../api/declare/rules.ts'
import { anyObject, id, listOf, object, oneOf, optional } from '../../../api/declare/words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { type After, cursorAfter, cursorRule, readCursor } from '../../../api/records/cursor.ts'
import { pagingParams } from '../../../api/records/list-endpoint.ts'
import { wholeSeconds } from '../../../lib/time.ts'
import type { AccountHistory, HistoryEntry } from '../../../storage/account-history.ts'

const entity = oneOf(['CAMPAIGN', 'LINE_ITEM', 'PROMOTED_TWEET', 'TARGETING_CRITERIA', 'PROMOTED_ACCOUNT'], { example: 'CAMPAIGN' })

const recordFields = { ...anyObject(), 'x-dialect': 'names' as const }

const entrySchema = object({
  change_time: adsTime(),
  change_type: oneOf(['CREATE', 'UPDATE', 'DELETE']),
  change_by: object({ user_id: id(), platform: oneOf(['API_OTHER']) }),
  changes: recordFields,
  entity,
  entity_id: adsId(),
  entity_data: recordFields,
})

const present = ({ changeTimeMs, changeType, userId, changes, entity, entityId, entityData }: HistoryEntry) => ({
  change_time: wholeSeconds(changeTimeMs),
  change_type: changeType,
  change_by: { user_id: userId, platform: 'API_OTHER' },
  changes,
  entity,
  entity_id: entityId,
  entity_data: entityData,
})

const BY_NUMBER = { sort: [{ field: 'number', descending: true }] }

const FILTER_PARAMS = ['entity_type', 'entity_id', 'start_time', 'end_time', 'user_id']

const tiedTo = (params: Record<string, unknown>, { accountId }: MemberCaller) => [
  'listAccountHistory',
  accountId,
  ...FILTER_PARAMS.map((name) => params[name]),
]

const after: After = (params, caller) =>
  readCursor(params.cursor, BY_NUMBER, () => ({ type: 'long', nullable: false }), tiedTo(params, caller as MemberCaller))

export const listAccountHistory = adsEndpoint({
  name: 'listAccountHistory',
  route: 'GET /12/accounts/:account_id/account_history',
  section: '§4.8',
  summary: 'List the change history of one record, newest first. For apps with early access.',
  description:
    '`start_time` is inclusive, `end_time` exclusive. `changes` has `{before, after}` for each changed field, ' +
    'including `deleted`; for a `CREATE` it is empty. `entity_data` is the record as returned by the change.',
  auth: accountMember({ earlyAccess: 'account_history' }),
  params: {
    account_id: adsId(),
    entity_type: entity,
    entity_id: adsId(),
    start_time: adsHour(),
    end_time: adsHour({ example: '2026-03-02T12:00:00Z' }),
    user_id: optional(decimalId()),
    ...pagingParams(),
  },
  rules: [before('start_time', 'end_time'), cursorRule(FILTER_PARAMS, after)],
  data: listOf(entrySchema),
  isList: true,
  async handle({ params, caller }, { accountHistory }: { accountHistory: AccountHistory }) {
    const { count, ...query } = params
    const entries = await accountHistory.list({
      accountId: caller.accountId,
      entity: query.entity_type,
      entityId: query.entity_id,
      fromMs: Date.parse(query.start_time),
      toMs: Date.parse(query.end_time),
      userId: query.user_id,
      before: after(params, caller)?.values[0] as number | undefined,
      limit: count + 1,
    })
    const page = entries.slice(0, count)
    const last = entries.length > count ? page.at(-1) : undefined
    const next_cursor = last ? cursorAfter({ ...last, id: String(last.number) }, BY_NUMBER, tiedTo(params, caller)) : null
    return { data: page.map(present), next_cursor }
  },
})
