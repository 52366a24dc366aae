import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { aUser, openAt, opened, openedAlone, twentyAtOnce } from './samples.ts'

const URLS = Array.from({ length: 40 }, (_, index) => `https://shop.example/${index}.png`)

const CATALOG = '1997712707928100864'
const OTHER_CATALOG = '1997712707928100865'

for (const flavour of databasesOf(import.meta))
  suite(`due work on ${flavour}`, () => {
    test('twenty claims at once share what is due, and each piece is claimed once', async () => {
      await using it = await opened(flavour)
      await it.storage.imageChecks.request(CATALOG, URLS, 5)
      const claims = (await twentyAtOnce(it.storages, ({ imageChecks }) => imageChecks.claim(5, 1000, 3, []))).flat()
      assert.equal(new Set(claims.map(({ id }) => id)).size, claims.length)
      assert.equal(claims.length, URLS.length)
      assert.deepEqual(await it.storage.imageChecks.claim(999, 2000, 9, []), [])
      assert.equal(await it.storage.imageChecks.nextDueMs([]), 1000)
    })

    test('a catalog with many images that wait holds up no other, and has at most 2,000 of them', async () => {
      await using it = await openedAlone(flavour)
      const { imageChecks } = it.storage
      const many = Array.from({ length: 2100 }, (_, index) => `https://slow.example/${index}.png`)
      await imageChecks.request(CATALOG, many, 1000)
      await imageChecks.request(CATALOG, ['https://slow.example/more.png'], 1000)
      await imageChecks.request(OTHER_CATALOG, URLS, 1000)
      const claimed = await imageChecks.claim(1000, 500_000, 1000, [])
      assert.equal(claimed.length, 100 + URLS.length)
      assert.equal(await imageChecks.nextDueMs(claimed.map(({ id }) => id)), 1100)
      assert.equal((await imageChecks.claim(191_000, 900_000, 3000, [])).length, 1900)
      await imageChecks.request(OTHER_CATALOG, ['https://shop.example/late.png'], 191_000)
      assert.equal((await imageChecks.claim(191_000, 900_000, 3000, [])).length, 1)
    })

    test('a claim that has ended is given to another process, and the first can no longer prolong or end it', async () => {
      await using it = await opened(flavour)
      const [one, other] = [it.storages[0]!.imageChecks, it.storages.at(-1)!.imageChecks]
      await one.request(CATALOG, [URLS[0]!], 5)
      const [first] = await one.claim(5, 1000, 1, [])
      const renewed = await one.renew(first!, 1500)
      assert.equal(renewed!.untilMs, 1500)
      assert.deepEqual(await other.claim(1000, 2000, 1, []), [])
      const [second] = await other.claim(1500, 2500, 1, [])
      assert.equal(second!.id, first!.id)
      assert.equal(await one.renew(renewed!, 3000), undefined)
      await one.checked(renewed!, 'from the first', 1600)
      assert.equal((await one.problems([URLS[0]!])).size, 0)
      await other.checked(second!, 'from the second', 1600)
      assert.equal((await one.problems([URLS[0]!])).get(URLS[0]!), 'from the second')
      assert.equal(await one.nextDueMs([]), undefined)
    })

    test('the end of a run that another process took for dead makes its feed due as early as it says, and no other end does', async () => {
      await using it = await opened(flavour)
      const [one, other] = [it.storages[0]!, it.storages.at(-1)!]
      await one.users.insert(aUser())
      await one.catalogs.create({ id: '1', host: 'production', userId: '101', name: 'x' }, 1)
      const feed = { feedUrl: 'https://shop.example/p.csv', feedFormat: 'CSV', frequency: 'DAILY', repeat: null } as const
      const times = { startTime: '06:30', timeZone: 'UTC', createdAtMs: 1, updatedAtMs: 1 }
      await one.scheduledFeeds.create({ id: '4', catalogId: '1', ...feed, ...times }, 5)
      const none = { rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0, rowErrors: [] }
      const about = { id: '7', feedId: '4', startedAtMs: 5, finishedAtMs: null, failure: null, ...none }
      const [lost] = await one.scheduledFeeds.claim(5, 1000, 1, [])
      await one.scheduledFeeds.report({ ...about, state: 'RUNNING' }, 9)
      const [taken] = await other.scheduledFeeds.claim(1000, 2000, 1, [])
      const end = (nextDueAtMs: number) =>
        one.scheduledFeeds.report({ ...about, state: 'FAILED', failure: 'cut off' }, 9, { claim: lost!, nextDueAtMs })
      const due = () => one.scheduledFeeds.nextDueMs([])
      assert.equal(await other.scheduledFeeds.endRunning('4', 1000, 'died', { claim: taken!, nextDueAtMs: 90_000 }), true)
      assert.equal(await due(), 90_000)
      await end(95_000)
      assert.equal(await due(), 90_000)
      await end(1500)
      assert.equal(await due(), 1500)
      assert.equal((await one.scheduledFeeds.reports('4', undefined, 9))[0]!.failure, 'cut off')

      // While another process has it, and where nobody ended the run, the date stays.
      await other.scheduledFeeds.claim(1500, 3000, 1, [])
      await end(1600)
      assert.equal(await due(), 3000)
      const [again] = await other.scheduledFeeds.claim(3000, 4000, 1, [])
      await one.scheduledFeeds.report({ ...about, id: '8', state: 'RUNNING' }, 9)
      await other.scheduledFeeds.report({ ...about, id: '9', state: 'DONE' }, 9, { claim: again!, nextDueAtMs: 90_000 })
      await one.scheduledFeeds.report({ ...about, id: '8', state: 'FAILED' }, 9, { claim: lost!, nextDueAtMs: 1600 })
      assert.equal(await due(), 90_000)
    })

    test('what is left out is neither claimed nor the next that is due', async () => {
      await using it = await openedAlone(flavour)
      const { imageChecks } = it.storage
      await imageChecks.request(CATALOG, [URLS[0]!], 5)
      const [{ id } = { id: '' }] = await imageChecks.claim(5, 6, 1, [])
      assert.deepEqual(await imageChecks.claim(9, 20, 1, [id]), [])
      assert.equal(await imageChecks.nextDueMs([id]), undefined)
    })

    test('a process that takes a worker number makes the claims of the one before due at once', async () => {
      await using it = await opened(flavour)
      await it.storage.imageChecks.request(CATALOG, [URLS[0]!], 5)
      await it.storage.imageChecks.claim(5, 1_000_000, 1, [])
      const { worker } = it.storage
      // The other one first: it would hold the number for a moment, to take over the work of the process that had it.
      for (const storage of it.storages.toReversed()) await storage.close()
      const next = await openAt(it.url)
      assert.equal(next.worker, worker)
      assert.equal((await next.imageChecks.claim(6, 1_000_000, 1, [])).length, 1)
      await next.close()
    })

    test('a result is used for a day; then the next request has the image checked again', async () => {
      await using it = await openedAlone(flavour)
      const { imageChecks } = it.storage
      const dayMs = 86_400_000
      const check = async (nowMs: number) => {
        await imageChecks.request(CATALOG, [URLS[0]!, URLS[0]!], nowMs)
        const [claim] = await imageChecks.claim(nowMs, nowMs + 1000, 1, [])
        if (claim) await imageChecks.checked(claim, null, nowMs)
        return claim !== undefined
      }
      assert.deepEqual([await check(10), await check(dayMs), await check(dayMs + 10), await check(dayMs + 11)], [true, false, true, false])
    })

    test('a set of a catalog that was deleted is no longer due', async () => {
      await using it = await openedAlone(flavour)
      const { catalogs, users } = it.storage
      await users.insert(aUser())
      await catalogs.create({ id: '1', host: 'production', userId: '101', name: 'x' }, 1)
      const set = {
        id: '3',
        catalogId: '1',
        name: 'x',
        description: null,
        type: 'FILTERED',
        filters: [],
        processingStatus: 'PROCESSING',
      } as const
      await catalogs.change('1', (transaction) => transaction.addSet(set, [], 5, 9))
      assert.equal(await catalogs.dueSets.nextDueMs([]), 5)
      assert.equal(await catalogs.remove('1', 5), true)
      assert.equal(await catalogs.dueSets.nextDueMs([]), undefined)
      assert.equal(await catalogs.change('1', async () => 'done'), undefined)
    })
  })
