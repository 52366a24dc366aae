import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { boolean, defaulting, listOf, nullable, object, optional, text } from '../../../api/declare/words.ts'
import type { RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { cursorAfter, cursorRule, readCursor } from '../../../api/records/cursor.ts'
import type { ListQuery } from '../../../storage/records.ts'
import { mustFindAudience } from './find-audience.ts'
import { targetedBy } from './targeted-by.ts'

const byId = { sort: [] }

/** What a cursor is valid for. */
const tiedTo = ({ account_id, custom_audience_id, with_active = true }: Record<string, unknown>) => [
  'listTargeted',
  account_id,
  custom_audience_id,
  with_active,
]

/** The cursor of the page after a campaign. */
const targetedCursor = (params: Record<string, unknown>, campaignId: string): string =>
  cursorAfter({ id: campaignId }, byId, tiedTo(params))

/** Where a page begins; undefined without a cursor, and for one that is not of this list. */
const readTargetedCursor = (params: Record<string, unknown>): ListQuery['after'] =>
  readCursor(
    params.cursor,
    byId,
    () => {
      throw new Error('campaigns are listed by their ids alone')
    },
    tiedTo(params),
  )

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
  rules: [cursorRule(['account_id', 'custom_audience_id', 'with_active'], readTargetedCursor)],
  data: listOf(entry),
  isList: true,
  async handle({ params, caller: { accountId } }, services: RecordServices) {
    const { custom_audience_id, with_active } = params
    const { audience } = await mustFindAudience(custom_audience_id, { accountId }, services)
    const all = await targetedBy(audience.id, accountId, with_active, services)
    const after = readTargetedCursor(params)?.key ?? ''
    const left = all.filter(({ campaign_id }) => campaign_id > after)
    const data = left.slice(0, PAGE)
    return { data, next_cursor: left.length > PAGE ? targetedCursor(params, data.at(-1)!.campaign_id) : null }
  },
})
