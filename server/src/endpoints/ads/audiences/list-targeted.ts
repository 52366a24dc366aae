import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { boolean, defaulting, listOf, nullable, object, optional, text } from '../../../api/declare/words.ts'
import type { RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { cursorRule, pagesBy } from '../../../api/records/cursor.ts'
import type { AnyResource } from '../../../api/records/resource.ts'
import { showAll } from '../../../api/records/show.ts'
import type { GiveWay } from '../../../lib/fair-turns.ts'
import { type ListQuery, NEWEST_FIRST, type RecordType, type StoredRecord } from '../../../storage/records.ts'
import { Campaign } from '../resources/campaign.ts'
import { LineItem, type LineItemRecord } from '../resources/line-item.ts'
import { TargetingCriterion } from '../resources/targeting-criterion.ts'
import { audienceTargetingTypes } from './audience-criteria.ts'
import { mustFindAudience } from './find-audience.ts'

type Services = RecordServices & { giveWay: GiveWay }

const AT_ONCE = 1000

const newestOf = (account_id: string) => ({ scope: { account_id }, sort: [NEWEST_FIRST], withDeleted: false, limit: AT_ONCE })

/** The ids of the line items of an account that target an audience or exclude it. Others go first between two pages. */
async function targetingItems(audienceId: string, accountId: string, { records, giveWay }: Services): Promise<string[]> {
  const query = { ...newestOf(accountId), filters: [{ field: 'targeting_value', equals: audienceId }] }
  const itemIds = new Set<string>()
  let after: ListQuery['after']
  do {
    const page = await records.list(TargetingCriterion, { ...query, after })
    for (const { targeting_type, line_item_id } of page) if (audienceTargetingTypes.includes(targeting_type)) itemIds.add(line_item_id)
    await giveWay()
    const last = page.length < AT_ONCE ? undefined : page.at(-1)
    after = last && { values: [last.created_at], key: last.id }
  } while (after)
  return [...itemIds]
}

type Dated = StoredRecord & { id: string }

/** Whether a record comes after a place, in the order of the list: newest first. */
const isAfter = ({ created_at, id }: Dated, at: string, key: string) => created_at < at || (created_at === at && id < key)

/**
 * The visible records of an account with these ids, newest first. Each is read once: a list of them all would select all of them for each of its
 * pages. Others go first between two reads.
 */
async function withIds<R extends Dated>(recordType: RecordType<R>, accountId: string, ids: Iterable<string>, services: Services) {
  const wanted = [...new Set(ids)]
  const found: R[] = []
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    const filter = { field: recordType.key, anyOf: wanted.slice(from, from + AT_ONCE) }
    found.push(...(await services.records.list(recordType, { ...newestOf(accountId), filters: [filter] })))
    await services.giveWay()
  }
  return found.sort((one, other) => (isAfter(one, other.created_at, other.id) ? 1 : -1))
}

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
  const items = await withIds(LineItem, accountId, await targetingItems(audienceId, accountId, services), services)
  const campaignIds = items.map(({ campaign_id }) => campaign_id)
  const campaigns = await withIds(Campaign, accountId, campaignIds, services)
  if (campaigns.length === 0) return []
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
    const left = after ? all.filter(({ campaign }) => isAfter(campaign, after.values[0] as string, after.key)) : all
    const { page, next_cursor } = pages.pageOf(
      left.map(({ campaign, entry }) => ({ ...campaign, entry })),
      { ...params, count: PAGE },
    )
    return { data: page.map(({ entry }) => entry), next_cursor }
  },
})
