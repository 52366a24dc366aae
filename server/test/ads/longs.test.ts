import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { type Long, MAX_LONG } from '../../src/lib/numbers.ts'
import { ACCOUNT, type AdsCall, adsCaller, adsSeed, dataOf, FUNDING, mistakesOf } from '../stage/ads.ts'
import type { Answer } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { LARGE_LONGS } from '../stage/fill-records.ts'
import { type Stage, setStage } from '../stage/postern.ts'

const AT = `/12/accounts/${ACCOUNT}`
const CAMPAIGNS = `${AT}/campaigns`
const TOTAL = 'total_budget_amount_local_micro'
const DAILY = 'daily_budget_amount_local_micro'

/** Digits as they stand in a text of JSON, which no client's parser has rounded: all values of a member. */
const digitsOf = ({ text }: Answer, member: string) => [...text.matchAll(new RegExp(`"${member}":([^,}]*)`, 'g'))].map(([, value]) => value)

const texts = (longs: readonly Long[]) => longs.map(String)

const create = (ads: AdsCall, amounts: Record<string, Long>) =>
  ads('POST', CAMPAIGNS, { funding_instrument_id: FUNDING, name: 'Spring', ...amounts })

/** The history of a campaign, newest first. */
function historyOf(stage: Stage, ads: AdsCall, entity_id: string) {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const range = { start_time: day(stage.clock.now() - 86_400_000), end_time: day(stage.clock.now() + 2 * 86_400_000) }
  return ads('GET', `${AT}/account_history`, { entity_type: 'CAMPAIGN', entity_id, ...range })
}

/** The account with a campaign of this budget, whose funding instrument has as much credit; as a seed. */
const seedOf = (amount: Long) => ({
  accounts: [
    {
      ...adsSeed.accounts![0],
      funding_instruments: [{ id: 'credit', type: 'CREDIT_LINE', currency: 'USD', credit_limit_local_micro: amount }],
      campaigns: [{ id: 'seeded', name: 'Seeded', funding_instrument_id: 'credit', [TOTAL]: amount }],
    },
  ],
})

for (const flavour of databasesOf(import.meta))
  suite(`longs on ${flavour}`, () => {
    test('an amount is echoed, stored, shown, listed and recorded in the history exactly up to 2^63 - 1', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const ads = adsCaller(stage)
      for (const amount of LARGE_LONGS) {
        const created = await create(ads, { [TOTAL]: amount, [DAILY]: amount })
        const { id } = dataOf(created)
        const [before, after] = [String(amount), String(BigInt(amount) - 1n)]
        assert.deepEqual([digitsOf(created, TOTAL), digitsOf(created, DAILY)], [Array(2).fill(before), Array(2).fill(before)])
        const changed = await ads('PUT', `${CAMPAIGNS}/${id}`, { [DAILY]: after })
        assert.deepEqual(digitsOf(changed, DAILY), [after, after])
        for (const shown of [await ads('GET', `${CAMPAIGNS}/${id}`), await ads('GET', CAMPAIGNS, { campaign_ids: id })])
          assert.deepEqual([digitsOf(shown, TOTAL), digitsOf(shown, DAILY)], [[before], [after]])
        const history = await historyOf(stage, ads, id)
        assert.deepEqual([digitsOf(history, 'before'), digitsOf(history, 'after')], [[before], [after]])
        const kept = digitsOf(history, DAILY).filter((value) => !value!.startsWith('{'))
        assert.deepEqual(
          [digitsOf(history, TOTAL), kept],
          [
            [before, before],
            [after, before],
          ],
        )
      }
    })

    test('a difference of one is a change and can break a rule; an existing value can be sent back', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const ads = adsCaller(stage)
      for (const amount of [2n ** 53n, MAX_LONG - 1n]) {
        const { id, updated_at } = dataOf(await create(ads, { [TOTAL]: amount, [DAILY]: amount }))
        const change = (changes: Record<string, Long>) => ads('PUT', `${CAMPAIGNS}/${id}`, changes)
        stage.clock.advance(2000)
        assert.equal(dataOf(await change({ [TOTAL]: amount, [DAILY]: amount })).updated_at, updated_at)
        assert.deepEqual(mistakesOf(await change({ [DAILY]: amount + 1n })), [400, `INVALID ${DAILY}`])
        assert.deepEqual(mistakesOf(await create(ads, { [TOTAL]: amount, [DAILY]: amount + 1n })), [400, `INVALID ${DAILY}`])
        assert.ok(dataOf(await change({ [TOTAL]: amount + 1n })).updated_at > updated_at)
        assert.equal(dataOf(await historyOf(stage, ads, id)).length, 2)
      }
    })

    test('an amount beyond 2^63 - 1 is rejected with the bounds, and nothing is created', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const ads = adsCaller(stage)
      for (const amount of [MAX_LONG + 1n, 10n ** 30n]) {
        const refused = await create(ads, { [TOTAL]: amount, [DAILY]: MAX_LONG })
        const message = `Expected a value between 1 and 9223372036854775807, got "${amount}" for ${TOTAL}`
        assert.deepEqual([refused.status, refused.body.errors], [400, [{ code: 'INVALID_PARAMETER', message, parameter: TOTAL }]])
        assert.deepEqual(digitsOf(refused, DAILY), [String(MAX_LONG)], 'what was understood is repeated')
      }
      assert.deepEqual(dataOf(await ads('GET', CAMPAIGNS)), [])
    })

    test('a list sorted by an amount is paged without loss, in both directions', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const ads = adsCaller(stage)
      for (const amount of LARGE_LONGS.toReversed()) dataOf(await create(ads, { [TOTAL]: amount }))
      for (const [direction, wanted] of Object.entries({ asc: texts(LARGE_LONGS), desc: texts(LARGE_LONGS).toReversed() })) {
        const seen: unknown[] = []
        let cursor: string | null = null
        do {
          const page = await ads('GET', CAMPAIGNS, { sort_by: `${TOTAL}-${direction}`, count: 1, ...(cursor !== null && { cursor }) })
          assert.equal(dataOf(page).length, 1)
          seen.push(...digitsOf(page, TOTAL))
          cursor = page.body.next_cursor
        } while (cursor !== null && seen.length < wanted.length)
        assert.deepEqual([seen, cursor], [wanted, null])
      }
    })

    test('a cursor with a value that is not a long is rejected', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const ads = adsCaller(stage)
      for (const amount of [MAX_LONG - 1n, MAX_LONG]) dataOf(await create(ads, { [TOTAL]: amount }))
      const list = (cursor: object) => ads('GET', CAMPAIGNS, { sort_by: `${TOTAL}-asc`, count: 1, ...cursor })
      const { next_cursor } = (await list({})).body
      const after = (value: string) => {
        const [mark, rest] = [next_cursor.slice(0, 12), Buffer.from(next_cursor.slice(12), 'base64url').toString()]
        assert.match(rest, /^\[\[9223372036854775806\],/)
        return list({ cursor: mark + Buffer.from(rest.replace('9223372036854775806', value)).toString('base64url') })
      }
      assert.deepEqual(digitsOf(await after('9223372036854775806'), TOTAL), ['9223372036854775807'])
      assert.deepEqual(digitsOf(await after('9223372036854775805'), TOTAL), ['9223372036854775806'])
      for (const none of ['9223372036854775808', '-9223372036854775809', '1e17', '1.5', '"5"'])
        assert.deepEqual(mistakesOf(await after(none)), [400, 'INVALID_PARAMETER cursor'], none)
    })

    test('a posted seed keeps its amounts exactly, and a difference of one is reported', async () => {
      await using stage = await setStage({ flavour, seed: { ...adsSeed, accounts: [] } as SeedDocument })
      const ads = adsCaller(stage)
      const load = async (seed: object) => (await stage.operator('POST', '/operator/seed', seed)).body.data
      assert.equal((await load(seedOf(MAX_LONG - 1n))).created.length, 1)
      const funding = await ads('GET', `${AT}/funding_instruments/credit`)
      const amounts = ['credit_limit_local_micro', 'credit_remaining_local_micro'].flatMap((member) => digitsOf(funding, member))
      const budget = digitsOf(await ads('GET', `${CAMPAIGNS}/seeded`), TOTAL)
      assert.deepEqual([amounts, budget], [Array(2).fill('9223372036854775806'), ['9223372036854775806']])
      assert.equal((await load(seedOf(MAX_LONG - 1n))).existing.length, 1)
      const [{ fields }] = (await load(seedOf(MAX_LONG))).differing
      assert.deepEqual(fields, ['funding_instruments.credit_limit_local_micro', `campaigns.${TOTAL}`])
    })
  })
