import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { adsCaller, dataOf } from '../../stage/ads.ts'
import { AUDIENCES, remove, seedWithAudiences, sendBody, sha, update, usersFrom } from '../../stage/ads-audiences.ts'
import { cases } from '../../stage/cases.ts'
import { databasesOf } from '../../stage/databases.ts'
import { type Stage, setStage } from '../../stage/postern.ts'

const seed = seedWithAudiences()
const AUDIENCE = `${AUDIENCES}/a1`
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Of the users of 1,000 identifiers each: two halves have more identifiers than a statement can have parameters, 65,535. */
const HALF = cases(33, 60)

const apply = async (stage: Stage, ...operations: object[]) => void dataOf(await sendBody(stage, `${AUDIENCE}/users`, operations))
const stateOf = async (stage: Stage) => {
  const { audience_size, targetable, reasons_not_targetable: reasons } = dataOf(await adsCaller(stage)('GET', AUDIENCE))
  return [audience_size, targetable, reasons]
}
const sizeOf = async (stage: Stage) => (await stateOf(stage))[0]
const from = (stage: Stage, ms: number) => new Date(stage.clock.now() + ms).toISOString()

const email = (...names: string[]) => ({ email: names.map(sha) })
const phone = (...names: string[]) => ({ phone_number: names.map(sha) })

for (const flavour of databasesOf(import.meta))
  suite(`memberships on ${flavour}`, () => {
    test('they begin and end by the clock, and the size, targetable and its reasons follow', async () => {
      await using stage = await setStage({ flavour, seed })
      assert.deepEqual(await stateOf(stage), [null, false, ['PROCESSING', 'TOO_SMALL']])
      await apply(stage, update(usersFrom(0, 99)))
      assert.deepEqual(await stateOf(stage), [99, false, ['TOO_SMALL']])
      await apply(stage, update(usersFrom(99, 1), { effective_at: from(stage, HOUR_MS), expires_at: from(stage, 3 * HOUR_MS) }))
      assert.deepEqual(await stateOf(stage), [99, false, ['TOO_SMALL']])
      stage.clock.advance(HOUR_MS + 1000)
      assert.deepEqual(await stateOf(stage), [100, true, []])
      stage.clock.advance(2 * HOUR_MS)
      assert.deepEqual(await stateOf(stage), [99, false, ['TOO_SMALL']])
      await apply(stage, remove(usersFrom(0, 200)))
      assert.deepEqual(await stateOf(stage), [0, false, ['TOO_SMALL']])
    })

    test('without expires_at they end 13 calendar months after the request', async () => {
      await using stage = await setStage({ flavour, seed })
      stage.clock.advance(Date.parse('2027-01-31T12:00:00Z') - stage.clock.now())
      await apply(stage, update(usersFrom(0, 1)))
      stage.clock.advance(Date.parse('2028-02-29T11:59:58Z') - stage.clock.now())
      assert.equal(await sizeOf(stage), 1)
      stage.clock.advance(60_000)
      assert.equal(await sizeOf(stage), 0)
    })

    test('an update of a user replaces the times, before, while and after the membership lasts', async () => {
      await using stage = await setStage({ flavour, seed })
      const [user] = usersFrom(0, 1)
      await apply(stage, update([user!], { effective_at: from(stage, HOUR_MS), expires_at: from(stage, 2 * HOUR_MS) }))
      assert.equal(await sizeOf(stage), 0)
      await apply(stage, update([user!], { expires_at: from(stage, HOUR_MS) }))
      assert.equal(await sizeOf(stage), 1)
      await apply(stage, update([user!], { effective_at: from(stage, HOUR_MS) }))
      assert.equal(await sizeOf(stage), 0)
      stage.clock.advance(2 * HOUR_MS)
      assert.equal(await sizeOf(stage), 1)
      await apply(stage, update([user!], { expires_at: from(stage, HOUR_MS) }))
      stage.clock.advance(2 * HOUR_MS)
      assert.equal(await sizeOf(stage), 0)
      await apply(stage, update([user!]))
      assert.equal(await sizeOf(stage), 1)
    })

    test('a user is one person however many identifiers are given, and is deleted by any of them', async () => {
      await using stage = await setStage({ flavour, seed })
      await apply(stage, update([{ ...email('a1', 'a2'), ...phone('a3') }, email('b1'), phone('c1')]))
      assert.equal(await sizeOf(stage), 3)
      await apply(stage, update([email('a2'), { ...email('b1'), ...phone('b2') }, email('c1')]))
      assert.equal(await sizeOf(stage), 4, 'the hash of an email is not that of a phone number')
      await apply(stage, remove([phone('a3')]))
      assert.equal(await sizeOf(stage), 3)
      await apply(stage, update([email('a1')]), update([email('a2')]))
      assert.equal(await sizeOf(stage), 5, 'the other identifiers of a deleted user are gone')
      await apply(stage, remove([{ ...phone('b2'), ...email('a1', 'unknown') }]))
      assert.equal(await sizeOf(stage), 3)
    })

    test('users turn out to be one when an identifier of each is given together', async () => {
      await using stage = await setStage({ flavour, seed })
      await apply(stage, update([email('a', 'b', 'c'), email('d', 'e'), email('f'), email('g')]))
      assert.equal(await sizeOf(stage), 4)
      await apply(stage, update([email('b', 'e', 'f', 'new')]))
      assert.equal(await sizeOf(stage), 2)
      await apply(stage, remove([email('d')]))
      assert.equal(await sizeOf(stage), 1)
      await apply(stage, ...['a', 'b', 'c', 'd', 'e', 'f', 'new'].map((name) => update([email(name)])))
      assert.equal(await sizeOf(stage), 8)
    })

    test('a batch applies to users of 1,000 identifiers each, however many it names by one of them', async () => {
      await using stage = await setStage({ flavour, seed })
      const nameOf = (user: number, place: number) => `${user}.${place}@example.com`
      /** All 1,000 of a user, who is known by the first in each of eleven parts of at most 100. */
      const partsOf = (user: number) =>
        Array.from({ length: 11 }, (_, part) => {
          const others = Array.from({ length: part < 10 ? 99 : 9 }, (_, index) => nameOf(user, 1 + part * 99 + index))
          return email(nameOf(user, 0), ...others)
        })
      for (const first of [0, HALF]) await apply(stage, ...Array.from({ length: HALF }, (_, index) => update(partsOf(first + index))))
      assert.equal(await sizeOf(stage), 2 * HALF)
      const named = Array.from({ length: 2 * HALF }, (_, user) => email(nameOf(user, 999)))
      const last = 2 * HALF - 1
      await apply(stage, remove(named), update([email(nameOf(0, 1)), email(nameOf(last, 1))]))
      assert.equal(await sizeOf(stage), 2)
      await apply(stage, remove([email(nameOf(0, 0)), email(nameOf(last, 0))]))
      assert.equal(await sizeOf(stage), 2)
    })

    test('a user of 1,000 identifiers gets no more: what is given with them is another user', async () => {
      await using stage = await setStage({ flavour, seed })
      const names = (from: number, count: number) => Array.from({ length: count }, (_, index) => `n${from + index}`)
      for (let round = 0; round < 11; round += 1) await apply(stage, update([email('first', ...names(round * 99, 99))]))
      assert.equal(await sizeOf(stage), 2, '1,090 identifiers')
      await apply(stage, update([email('first', 'n1088', 'more')]), update([email('first', 'n1088')]))
      assert.equal(await sizeOf(stage), 2, 'both are updated, and neither joined nor split')
      await apply(stage, remove([email('first')]))
      assert.equal(await sizeOf(stage), 1)
      await apply(stage, remove([email('more')]))
      assert.equal(await sizeOf(stage), 0)
    })

    test('of a user whose membership has ended only the identifiers that are given come back', async () => {
      await using stage = await setStage({ flavour, seed })
      await apply(stage, update([email('a', 'b')], { expires_at: from(stage, 60_000) }))
      stage.clock.advance(120_000)
      await apply(stage, update([email('a')]), update([email('b')]))
      assert.equal(await sizeOf(stage), 2)
      await apply(stage, remove([email('a')]))
      assert.equal(await sizeOf(stage), 1)
    })

    test('operations are applied in order, also within a request', async () => {
      await using stage = await setStage({ flavour, seed })
      await apply(stage, update([email('a', 'b')]), remove([email('b')]), update([email('b', 'c')]), update([email('a')]))
      assert.equal(await sizeOf(stage), 2)
      await apply(stage, remove([email('a')]), update([email('a', 'c')]), update([email('d')]), remove([email('d')]))
      assert.equal(await sizeOf(stage), 1)
      await apply(stage, remove([email('b')]))
      assert.equal(await sizeOf(stage), 0)
    })

    test('memberships equal a plain model of them after random operations', async () => {
      await using stage = await setStage({ flavour, seed })
      let state = 7
      const random = (below: number) => {
        state = (state * 1_103_515_245 + 12_345) % 2 ** 31
        return Math.floor((state / 2 ** 31) * below)
      }
      let people: { names: Set<string>; begin: number; end: number }[] = []
      for (let round = 0; round < 8; round += 1) {
        const operations = Array.from({ length: 60 }, () => {
          const names = Array.from({ length: 1 + random(3) }, () => `n${random(120)}`)
          const begin = Math.floor(stage.clock.now() / 1000) + random(3) * 7200
          const end = begin + 3600 * (1 + random(4))
          const matched = people.filter((person) => names.some((name) => person.names.has(name)))
          people = people.filter((person) => !matched.includes(person))
          if (random(4) === 0) return remove([email(...names)])
          people.push({
            names: new Set([
              ...names,
              ...matched.filter(({ end }) => end > stage.clock.now() / 1000).flatMap((person) => [...person.names]),
            ]),
            begin,
            end,
          })
          const times = { effective_at: new Date(begin * 1000).toISOString(), expires_at: new Date(end * 1000).toISOString() }
          return update([email(...names)], times)
        })
        await apply(stage, ...operations)
        for (let step = 0; step < 3; step += 1) {
          const now = stage.clock.now() / 1000
          assert.equal(await sizeOf(stage), people.filter(({ begin, end }) => begin <= now && end > now).length, `round ${round}`)
          stage.clock.advance(1_800_000 + 1)
        }
      }
    })

    test('what has ended is deleted in time, and a user who comes again is counted once', async () => {
      await using stage = await setStage({ flavour, seed })
      await apply(stage, update([email('a', 'b')], { expires_at: from(stage, HOUR_MS) }), update([email('c')]))
      stage.clock.advance(2 * DAY_MS)
      await apply(stage, update([email('b')]))
      assert.equal(await sizeOf(stage), 2)
    })
  })
