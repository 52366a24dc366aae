import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { boolean, defaulting, listOf, nullable, object, optional, text } from '../../../api/declare/words.ts'
import type { RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { cursorRule, pagesBy } from '../../../api/records/cursor.ts'
import type { AnyResource } from '../../../api/records/resource.ts'
import { showAll } from '../../../api/records/show.ts'
import type { GiveWay } from '../../../lib/fair-turns.ts'
import { type FieldFilter, fieldOf, type ListQuery, NEWEST_FIRST, type RecordType, type StoredRecord } from '../../../storage/records.ts'
import { Campaign, type CampaignRecord } from '../resources/campaign.ts'
import { LineItem, type LineItemRecord } from '../resources/line-item.ts'
import { TargetingCriterion } from '../resources/targeting-criterion.ts'
import { audienceTargetingTypes } from './audience-criteria.ts'
import { mustFindAudience } from './find-audience.ts'

const AT_ONCE = 1000

/** All visible records of an account that pass a filter, newest first. Others go first between two pages. */
async function all<R extends StoredRecord>(
  recordType: RecordType<R>,
  accountId: string,
  filter: FieldFilter,
  { records, giveWay }: Services,
) {
  const query = { scope: { account_id: accountId }, sort: [NEWEST_FIRST], withDeleted: false, filters: [filter], limit: AT_ONCE }
  const found: R[] = []
  let after: ListQuery['after']
  do {
    const page = await records.list(recordType, { ...query, after })
    found.push(...page)
    await giveWay()
    const last = page.length < AT_ONCE ? undefined : page.at(-1)
    after = last && { values: [last.created_at], key: fieldOf(last, recordType.key) as string }
  } while (after)
  return found
}

type Services = RecordServices & { giveWay: GiveWay }

/** Whether a line item of a servable campaign is served now. */
const isServed = ({ entity_status, start_time, end_time }: LineItemRecord, nowMs: number) =>
  entity_status === 'ACTIVE' &&
  (start_time === null || Date.parse(start_time) <= nowMs) &&
  (end_time === null || Date.parse(end_time) > nowMs)

/** A campaign with line items that target an audience (§2.6). */
interface TargetedBy {
  campaign_id: string
  campaign_name: string
  line_items: { id: string; name: string | null; servable: boolean }[]
}

/** The campaigns that can be served now. */
async function servableCampaigns(campaigns: Parameters<typeof showAll>[1], accountId: string, services: Services): Promise<Set<string>> {
  const shown = await showAll(Campaign as AnyResource, campaigns, accountId, services)
  return new Set(shown.filter(({ servable }) => servable).map(({ id }) => id as string))
}

/** The campaigns of an account that target an audience or exclude it, newest first; with `activeOnly` without line items that are not servable. */
async function targetedBy(audienceId: string, accountId: string, activeOnly: boolean, services: Services) {
  const criteria = (await all(TargetingCriterion, accountId, { field: 'targeting_value', equals: audienceId }, services)).filter(
    ({ targeting_type }) => audienceTargetingTypes.includes(targeting_type),
  )
  const itemIds = [...new Set(criteria.map(({ line_item_id }) => line_item_id))]
  if (itemIds.length === 0) return []
  const items = await all(LineItem, accountId, { field: 'id', anyOf: itemIds }, services)
  const campaignIds = [...new Set(items.map(({ campaign_id }) => campaign_id))]
  const campaigns = await all(Campaign, accountId, { field: 'id', anyOf: campaignIds }, services)
  const servable = await servableCampaigns(campaigns, accountId, services)
  const nowMs = services.now()
  const itemsOf = Map.groupBy(items, ({ campaign_id }) => campaign_id)
  const entryOf = ({ id, name }: { id: string; name: string }): TargetedBy => {
    const line_items = itemsOf
      .get(id)!
      .map((item) => ({ id: item.id, name: item.name, servable: servable.has(id) && isServed(item, nowMs) }))
    return { campaign_id: id, campaign_name: name, line_items: line_items.filter((item) => item.servable || !activeOnly) }
  }
  const entries = campaigns.map((campaign) => ({ campaign, entry: entryOf(campaign) }))
  return entries.filter(({ entry }) => entry.line_items.length > 0)
}

/** What a cursor is valid for. */
const pages = pagesBy('created_at', 'time', ({ account_id, custom_audience_id, with_active = true }) => [
  'listTargeted',
  account_id,
  custom_audience_id,
  with_active,
])

/** Whether a campaign comes after a place, in the order of the list. */
const isAfter = ({ created_at, id }: CampaignRecord, { values: [at], key }: NonNullable<ListQuery['after']>) =>
  created_at < (at as string) || (created_at === at && id < key)

/** How many campaigns a page has. */
const PAGE = 200

const entry = object({
  campaign_id: adsId(),
  campaign_name: text(),
  line_items: listOf(object({ id: adsId(), name: nullable(text()), servable: boolean() })),
})

export const listTargeted = adsEndpoint({
  name: 'listTargeted',
  route: 'GET /12/accounts/:account_id/custom_audiences/:custom_audience_id/targeted',
  section: '§4.6',
  summary: 'List the campaigns and line items of the account that target or exclude a custom audience.',
  description: `Pages have ${PAGE} campaigns. With \`with_active=false\` line items that are not servable are listed too.`,
  auth: accountMember(),
  params: {
    account_id: adsId(),
    custom_audience_id: adsId(),
    with_active: defaulting(boolean(), true),
    cursor: optional(text({ description: 'The `next_cursor` of the previous page.' })),
  },
  rules: [cursorRule(['account_id', 'custom_audience_id', 'with_active'], pages.after)],
  data: listOf(entry),
  isList: true,
  async handle({ params, caller: { accountId }, giveWay }, services: RecordServices) {
    const { custom_audience_id, with_active } = params
    const { audience } = await mustFindAudience(custom_audience_id, { accountId }, services)
    const all = await targetedBy(audience.id, accountId, with_active, { ...services, giveWay })
    const after = pages.after(params)
    const left = after ? all.filter(({ campaign }) => isAfter(campaign, after)) : all
    const { page, next_cursor } = pages.pageOf(
      left.map(({ campaign, entry }) => ({ ...campaign, entry })),
      { ...params, count: PAGE },
    )
    return { data: page.map(({ entry }) => entry), next_cursor }
  },
})
