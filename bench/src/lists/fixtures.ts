import { Campaign } from '../../../server/src/endpoints/ads/resources/campaign.ts'
import type { SeedDocument } from '../../../server/src/endpoints/operator/seed/seed-document.ts'
import { fillRecords, recordOf } from '../../../server/test/stage/fill-records.ts'
import { rawRows } from '../../../server/test/storage/samples.ts'
import { signInSeed, USER_ID } from '../sign-in/fixtures.ts'

const ACCOUNT = 'longlist'
const FUNDING = 'f1'
export const CAMPAIGNS_PATH = `/12/accounts/${ACCOUNT}/campaigns`

const members = [{ user_id: USER_ID, role: 'ACCOUNT_ADMIN' }]

const seedWith = (accounts: object[]) =>
  ({ ...signInSeed, apps: signInSeed.apps?.map((app) => ({ ...app, ads_access: true })), accounts }) as SeedDocument

/** A seed with so many accounts of the user. */
export const accountsSeed = (count: number): SeedDocument =>
  seedWith(Array.from({ length: count }, (_, place) => ({ id: `a${place.toString(36)}`, name: `Account ${place}`, members })))

/** A seed with one account of the user and a funding instrument for its campaigns. */
export const campaignsSeed: SeedDocument = seedWith([
  { id: ACCOUNT, name: 'Long list', members, funding_instruments: [{ id: FUNDING, type: 'CREDIT_CARD', currency: 'USD' }] },
])

export const ACCOUNTS_PATH = '/12/accounts'
export const CARDS_PATH = (count: number) => `/12/accounts/${ACCOUNT}/cards?count=${count}`

const FIRST_MEDIA = 2_230_000_000_000_000_000n

/** A seed with an account of the user, and so many cards, each with an image of its own and a website. */
export function cardsSeed(count: number): SeedDocument {
  const numbers = Array.from({ length: count }, (_, place) => FIRST_MEDIA + BigInt(place))
  const media = numbers.map((n) => ({
    media_key: `3_${n}`,
    type: 'photo',
    owner_user_id: USER_ID,
    url: `https://media.example/${n}.png`,
    width: 800,
    height: 418,
  }))
  const cards = numbers.map((n) => ({
    id: String(n + 1_000_000n),
    name: `Card ${n}`,
    components: [
      { type: 'MEDIA', media_key: `3_${n}` },
      { type: 'DETAILS', title: `Product ${n}`, destination: { type: 'WEBSITE', url: `https://shop.example/products/${n}` } },
    ],
  }))
  const account = { id: ACCOUNT, name: 'Long list', members, media_library: media.map(({ media_key }) => ({ media_key })), cards }
  return { ...seedWith([account]), media } as SeedDocument
}

const ROWS_PER_BATCH = 20_000

/** Inserts so many campaigns with distinct names directly into the database, then updates its statistics (`analyze`), as autovacuum would. */
export async function fillCampaigns(url: string, count: number) {
  for (let from = 0; from < count; from += ROWS_PER_BATCH) {
    const numbers = Array.from({ length: Math.min(ROWS_PER_BATCH, count - from) }, (_, place) => from + place)
    const records = numbers.map((n) => {
      const name = `Campaign ${Math.imul(n, 2_654_435_761) >>> 0}`
      const budgets = { daily_budget_amount_local_micro: (n % 1000) * 1_000_000, total_budget_amount_local_micro: (n % 5000) * 30_000_000 }
      return { ...recordOf(Campaign, n, 'n'), ...budgets, name, deleted: false, funding_instrument_id: FUNDING }
    })
    await fillRecords(url, Campaign, { account_id: ACCOUNT }, records)
  }
  await rawRows(url, 'analyze')
}
