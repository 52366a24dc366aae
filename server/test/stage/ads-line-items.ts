import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { adsSeed, FUNDING } from './ads.ts'
import { ada } from './sign-in.ts'

export const CAMPAIGN = 'c1'

const lineItem = (id: string) => ({
  id,
  campaign_id: CAMPAIGN,
  objective: 'ENGAGEMENTS',
  product_type: 'PROMOTED_TWEETS',
  placements: ['ALL_ON_TWITTER'],
})

/** Posts of Ada's with the ids 1 to 51, and one with a long id. */
const LONG_ID = '1997712707928100865'
const postIds = [...Array.from({ length: 51 }, (_, place) => String(place + 1)), LONG_ID]

/** The account of `adsSeed` with a campaign, these line items of it, and Ada as the user whose posts it promotes. */
export const seedWithLineItems = (...ids: string[]): SeedDocument =>
  ({
    ...adsSeed,
    posts: postIds.map((id) => ({ id, author_id: ada.id, text: `Post ${id}` })),
    accounts: adsSeed.accounts?.map((account) => ({
      ...account,
      promotable_users: [{ id: 'pu1', user_id: ada.id, promotable_user_type: 'FULL' }],
      campaigns: [{ id: CAMPAIGN, funding_instrument_id: FUNDING, name: 'Spring' }],
      line_items: ids.map(lineItem),
    })),
  }) as object as SeedDocument
