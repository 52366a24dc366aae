// Filtered sets hold what a plain search of all products finds, after every kind of change, on thousands of generated products.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { pino } from 'pino'
import { deleteProducts, putProducts } from '../../../src/endpoints/ads/catalogs/products/products.ts'
import { putItems } from '../../../src/endpoints/ads/catalogs/products/put-items.ts'
import { createSetWorker } from '../../../src/endpoints/ads/catalogs/sets/set-worker.ts'
import { createIds } from '../../../src/lib/ids.ts'
import type { Catalogs, ProductFilter } from '../../../src/storage/catalogs.ts'
import { DatabaseAway } from '../../../src/storage/unavailable.ts'
import { cases } from '../../stage/cases.ts'
import { cup, type SentProduct } from '../../stage/catalogs.ts'
import { databasesOf } from '../../stage/databases.ts'
import { until } from '../../stage/pause.ts'
import { createRandom } from '../../stage/random.ts'
import { aUser, openedAlone } from '../../storage/samples.ts'

const PRODUCTS = cases(4_000, 10_000)
/** More than a request has, so that there are fewer transactions. */
const SLICE = 125

const silent = pino({ level: 'silent' })

/** Catalogs that note how many memberships, and how many products, each statement of a transaction writes. */
function noted(catalogs: Catalogs) {
  const writes: number[] = []
  const removals: number[] = []
  const change: Catalogs['change'] = (id, run) =>
    catalogs.change(id, (transaction) =>
      run({
        ...transaction,
        changeMembers(added, removed) {
          writes.push(added.length + removed.length)
          return transaction.changeMembers(added, removed)
        },
        remove(keys) {
          removals.push(keys.length)
          return transaction.remove(keys)
        },
      }),
    )
  return { catalogs: { ...catalogs, change }, writes, removals }
}

/** The result of a call, and how many turns of the event loop it took. */
async function inTurns<T>(call: () => Promise<T>): Promise<[T, number]> {
  let turns = 0
  let next: NodeJS.Immediate
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  next = setImmediate(count)
  try {
    return [await call(), turns]
  } finally {
    clearImmediate(next)
  }
}

type Stored = Record<string, string | number | null | undefined>

const filter = (attribute: string, operator: string, value: string): ProductFilter => ({ attribute, operator, value })

const text = (product: Stored, name: string) => (product[name] ?? undefined) as string | undefined
const amount = (product: Stored, name: string) => Number(String(product[name] ?? 'NaN').split(' ')[0])

/** Sets, each with a plain search that finds the same. */
const sets: [filters: ProductFilter[], finds: (product: Stored) => boolean][] = [
  [[filter('price', 'GREATER_THAN', '50')], (it) => amount(it, 'price') > 50],
  [[filter('price', 'LESS_THAN', '50.5 USD')], (it) => text(it, 'price')!.endsWith('USD') && amount(it, 'price') < 50.5],
  [[filter('inventory', 'EQUAL_TO', '3')], (it) => it.inventory === 3],
  [[filter('product_type', 'MATCH', 'home > CUPS')], (it) => text(it, 'product_type')?.toLowerCase() === 'home > cups'],
  [[filter('product_type', 'EQUAL_TO', 'Home > Cups')], (it) => it.product_type === 'Home > Cups'],
  [[filter('custom_label_0', 'CONTAINS', 'AL')], (it) => text(it, 'custom_label_0')?.toLowerCase().includes('al') ?? false],
  [[filter('custom_label_0', 'NOT_CONTAINS', 'al')], (it) => !(text(it, 'custom_label_0')?.toLowerCase().includes('al') ?? false)],
  [
    [filter('price', 'GREATER_THAN', '20'), filter('price', 'LESS_THAN', '60'), filter('custom_label_0', 'MATCH', 'sale')],
    (it) => amount(it, 'price') > 20 && amount(it, 'price') < 60 && text(it, 'custom_label_0')?.toLowerCase() === 'sale',
  ],
  [[filter('sale_price', 'LESS_THAN', '10')], (it) => amount(it, 'sale_price') < 10],
]

function productOf(id: string, random: () => number): SentProduct {
  const pick = <T>(...values: T[]) => values[Math.floor(random() * values.length)]
  const price = (100 + Math.floor(random() * 10_000)) / 100
  const currency = pick('USD', 'EUR')
  return cup({
    id,
    price: `${price} ${currency}`,
    sale_price: pick(undefined, `${(price / 2).toFixed(2)} ${currency}`),
    inventory: pick(undefined, 1, 2, 3),
    product_type: pick(undefined, 'Home > Cups', 'home > cups', 'Home > Plates'),
    custom_label_0: pick(undefined, 'Sale', 'SALE', 'new', 'final sale', 'Alpha'),
  })
}

for (const flavour of databasesOf(import.meta))
  suite(`filtered sets on ${flavour}`, () => {
    test(`equal a plain search of ${PRODUCTS} products, whether they were there before or came, changed or went later`, async () => {
      await using it = await openedAlone(flavour)
      const { storage, clock } = it
      const { catalogs } = storage
      const ids = createIds(clock, storage.worker)
      const random = createRandom(7)
      await storage.users.insert(aUser())
      const catalogId = ids.next()
      await catalogs.create({ id: catalogId, host: 'production', userId: '101', name: 'All' }, clock.now())
      const world = new Map<string, SentProduct>()
      const keys = new Map<string, string>()
      const put = async (products: SentProduct[]) => {
        for (let from = 0; from < products.length; from += SLICE) {
          const slice = products.slice(from, from + SLICE)
          for (const result of (await putItems(catalogId, slice, { catalogs, ids, loopbackHttp: false }))!) {
            assert.deepEqual(result.errors, [])
            keys.set(result.id!, result.product_key!)
          }
          for (const product of slice) world.set(product.id as string, product)
        }
      }
      const remove = async (gone: string[]) => {
        await catalogs.change(catalogId, (transaction) => transaction.remove(gone.map((id) => keys.get(id)!)))
        for (const id of gone) world.delete(id)
      }
      const setIds = new Map<string, (product: Stored) => boolean>()
      const addSets = async () => {
        for (const [filters, finds] of sets) {
          const id = ids.next()
          const set = {
            id,
            catalogId,
            name: 'x',
            description: null,
            type: 'FILTERED' as const,
            filters,
            processingStatus: 'PROCESSING' as const,
          }
          await catalogs.change(catalogId, (transaction) => transaction.addSet(set, [], clock.now(), 100))
          setIds.set(id, finds)
        }
      }
      const assertEqual = async (when: string) => {
        for (const [id, finds] of setIds) {
          const found = (await catalogs.set(catalogId, id))!
          const expected = [...world.values()].filter((product) => finds(product as Stored)).map((product) => product.id as string)
          assert.equal(found.processingStatus, 'DONE', when)
          assert.deepEqual(found.productIds.toSorted(), expected.toSorted(), `${when}: ${JSON.stringify(found.filters)}`)
        }
      }
      const processed = () => until(async () => (await catalogs.dueSets.nextDueMs([])) === undefined)

      const all = Array.from({ length: PRODUCTS }, (_, index) => productOf(`p${index}`, random))
      const worker = createSetWorker({ catalogs, changes: storage.changes, clock, logger: silent })
      await addSets()
      worker.start()
      await put(all.slice(0, PRODUCTS / 2))
      await processed()
      await assertEqual('created after the sets')

      // The second lot of sets is filled while products come, change and go.
      await addSets()
      await Promise.all([
        put(all.slice(PRODUCTS / 2)),
        put(all.slice(0, 500).map(({ id }) => productOf(id as string, random))),
        remove(all.slice(600, 700).map(({ id }) => id as string)),
      ])
      await processed()
      await assertEqual('processed during changes')
      await put(all.slice(1000, 2000).map(({ id }) => productOf(id as string, random)))
      await assertEqual('updated')
      await remove(all.slice(3000, 3500).map(({ id }) => id as string))
      await assertEqual('deleted')
      await put(all.slice(3000, 3100))
      await assertEqual('created again')
      await worker.stop()
    })

    test('a set whose filling met an outage after it prolonged its claim is due again a second later', async () => {
      await using it = await openedAlone(flavour)
      const { storage, clock } = it
      const { catalogs } = storage
      await storage.users.insert(aUser())
      await catalogs.create({ id: '1', host: 'production', userId: '101', name: 'All' }, clock.now())
      const set = {
        id: '2',
        catalogId: '1',
        name: 'x',
        description: null,
        filters: [],
        type: 'FILTERED',
        processingStatus: 'PROCESSING',
      } as const
      await catalogs.change('1', async (transaction) => {
        const group = { itemGroupId: null, itemGroupKey: null }
        await transaction.add(
          Array.from({ length: 501 }, (_, number) => ({ productKey: `${number}`, id: `${number}`, ...group, attributes: {} })),
        )
        await transaction.addSet(set, [], clock.now(), 1)
      })
      let slices = 0
      const change: Catalogs['change'] = async (id, run) => {
        slices += 1
        if (slices > 1) throw new DatabaseAway('away')
        return catalogs.change(id, run)
      }
      const nowMs = clock.now()
      const moved = { ...clock, now: () => nowMs + slices }
      const options = { catalogs: { ...catalogs, change }, changes: storage.changes, clock: moved, logger: silent }
      const worker = createSetWorker(options)
      worker.start()
      await until(async () => slices === 2)
      await worker.stop()
      assert.equal(await catalogs.dueSets.nextDueMs([]), nowMs + 1002)
    })

    test('however many sets and products there are, little is written at once, the event loop turns in between, and no app is waited for', async () => {
      await using it = await openedAlone(flavour)
      const { storage, clock } = it
      const { catalogs, writes, removals } = noted(storage.catalogs)
      const ids = createIds(clock, storage.worker)
      await storage.users.insert(aUser())
      const catalogId = ids.next()
      await catalogs.create({ id: catalogId, host: 'production', userId: '101', name: 'All' }, clock.now())
      const set = { catalogId, name: 'x', description: null, filters: [filter('inventory', 'LESS_THAN', '151')], type: 'FILTERED' } as const
      const addSet = async (processingStatus: 'DONE' | 'PROCESSING') => {
        const id = ids.next()
        await catalogs.change(catalogId, (transaction) => transaction.addSet({ ...set, id, processingStatus }, [], clock.now(), 100))
        return id
      }
      const setIds: string[] = []
      for (let number = 0; number < 45; number++) setIds.push(await addSet('DONE'))
      const caller = { user: { id: '101' }, adsHost: 'production' }
      const giveWay = () => assert.fail('other apps had their turns while the catalog was held')
      const products = Array.from({ length: 250 }, (_, number) => cup({ id: `p${number}`, inventory: number + 1 }))
      const addition = { params: { product_catalog_id: catalogId, products }, caller, giveWay }
      const services = { catalogs, ids, loopbackHttp: false, imageChecks: storage.imageChecks, now: clock.now }
      const [answer, turns] = await inTurns(() => putProducts.handle(addition as never, services as never))
      assert.ok(turns >= 45, `${turns} turns`)
      assert.ok(Math.max(...writes) < 1000 + 250, `${writes}`)
      assert.equal(
        writes.reduce((sum, size) => sum + size),
        45 * 250,
      )
      for (const id of setIds) assert.equal((await catalogs.set(catalogId, id))!.productIds.length, 150)

      writes.length = 0
      const late = await addSet('PROCESSING')
      const worker = createSetWorker({ catalogs, changes: storage.changes, clock, logger: silent })
      worker.start()
      await until(async () => (await catalogs.dueSets.nextDueMs([])) === undefined)
      await worker.stop()
      assert.deepEqual(writes, [100, 50, 0])
      assert.equal((await catalogs.set(catalogId, late))!.productIds.length, 150)

      const { products_response: put } = (answer as { data: { products_response: { product_key: string }[] } }).data
      const keys = put.map(({ product_key }) => product_key)
      const deletion = { params: { product_catalog_id: catalogId, product_keys: keys }, caller, giveWay }
      const [, deletionTurns] = await inTurns(() => deleteProducts.handle(deletion as never, services as never))
      assert.deepEqual(removals, Array(25).fill(10))
      assert.ok(deletionTurns >= 25, `${deletionTurns} turns`)
      assert.deepEqual((await catalogs.set(catalogId, late))!.productIds, [])
    })
  })
