import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { adsSeed, FUNDING } from './ads.ts'

export const CAMPAIGN = 'c1'

const lineItem = (id: string) => ({
  id,
  campaign_id: CAMPAIGN,
  objective: 'ENGAGEMENTS',
  product_type: 'PROMOTED_TWEETS',
  placements: ['ALL_ON_TWITTER'],
})

/** The account of `adsSeed` with a campaign, and these line items of it. */
export const seedWithLineItems = (...ids: string[]): SeedDocument =>
  ({
    ...adsSeed,
    accounts: adsSeed.accounts?.map((account) => ({
      ...account,
      campaigns: [{ id: CAMPAIGN, funding_instrument_id: FUNDING, name: 'Spring' }],
      line_items: ids.map(lineItem),
    })),
  }) as object as SeedDocument
