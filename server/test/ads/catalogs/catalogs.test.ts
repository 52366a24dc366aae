import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { SeedDocument } from '../../../src/endpoints/operator/seed/seed-document.ts'
import { adsCaller, adsSeed, dataOf, mistakesOf } from '../../stage/ads.ts'
import { CATALOGS, createCatalog, cup, sendJson } from '../../stage/catalogs.ts'
import { databasesOf } from '../../stage/databases.ts'
import { setStage } from '../../stage/postern.ts'
import { ada, grace } from '../../stage/sign-in.ts'
import { graces } from '../../stage/signed-calls.ts'
import { rawRows } from '../../storage/samples.ts'

const withoutEarlyAccess = {
  ...adsSeed,
  apps: adsSeed.apps?.map((app) => ({ ...app, early_access: [] })),
} as SeedDocument

for (const flavour of databasesOf(import.meta))
  suite(`product catalogs on ${flavour}`, () => {
    test('a catalog is created, listed, renamed and deleted', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const ads = adsCaller(stage)
      assert.deepEqual(dataOf(await ads('GET', CATALOGS)), [])
      const created = dataOf(await ads('POST', CATALOGS, { name: 'Spring', user_id: ada.id }))
      assert.match(created.id, /^[0-9]{15,19}$/)
      assert.deepEqual(created, { id: created.id, name: 'Spring' })
      const listed = await ads('GET', CATALOGS, { user_id: ada.id })
      assert.deepEqual(listed.body, { request: { params: { user_id: 101 } }, next_cursor: null, data: [created] })
      const renamed = await ads('PUT', `${CATALOGS}/${created.id}`, { name: 'Summer' })
      assert.deepEqual(renamed.body, {
        request: { params: { product_catalog_id: created.id, name: 'Summer' } },
        data: { id: created.id, name: 'Summer' },
      })
      assert.deepEqual(dataOf(await ads('DELETE', `${CATALOGS}/${created.id}`)), { id: created.id, name: 'Summer' })
      assert.deepEqual(dataOf(await ads('GET', CATALOGS)), [])
      assert.deepEqual(mistakesOf(await ads('DELETE', `${CATALOGS}/${created.id}`)), [404, 'NOT_FOUND'])
    })

    test('what a deleted catalog or set had is deleted in the background, while its user can have another', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { id, path, ads, add } = await createCatalog(stage)
      const keys = await add(cup({ id: 'a' }), cup({ id: 'b' }))
      const sets: { id: string }[] = []
      for (const name of ['One', 'Other'])
        sets.push(dataOf(await sendJson(stage, 'POST', `${path}/product_sets`, { name, type: 'MANUAL', product_keys: keys })))
      const given = { feed_url: 'https://shop.example/p.csv', feed_format: 'CSV', frequency: 'DAILY', start_time: '06:30' }
      dataOf(await ads('POST', `${path}/scheduled_feeds`, given))
      dataOf(await ads('DELETE', `${path}/product_sets/${sets[0]!.id}`))
      const members = () => rawRows(stage.databaseUrl, 'select distinct set_id from product_set_members')
      await stage.until(async () => (await members()).length === 1)
      dataOf(await ads('DELETE', path))
      for (const below of ['products', 'product_sets', `product_sets/${sets[1]!.id}`, 'scheduled_feeds'])
        assert.deepEqual(mistakesOf(await ads('GET', `${path}/${below}`)), [404, 'NOT_FOUND'])
      const other = dataOf(await ads('POST', CATALOGS, { name: 'Summer' }))
      assert.notEqual(other.id, id)
      for (const table of ['product_set_members', 'product_sets', 'products', 'scheduled_feeds'])
        await stage.until(async () => (await rawRows(stage.databaseUrl, `select * from ${table}`)).length === 0)
      await stage.until(async () => (await rawRows(stage.databaseUrl, 'select * from product_catalogs')).length === 1)
      assert.deepEqual(dataOf(await ads('GET', CATALOGS)), [other])
    })

    test('a user has one catalog on each host: a second is refused, also if twenty are asked for at once', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const ads = adsCaller(stage)
      const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => ads('POST', CATALOGS, { name: `Catalog ${index}` })))
      const refused = answers.filter(({ status }) => status !== 200)
      assert.equal(refused.length, 19)
      for (const answer of refused) assert.deepEqual(mistakesOf(answer), [400, 'INVALID user_id'])
      assert.equal(dataOf(await ads('GET', CATALOGS)).length, 1)
      const sandbox = adsCaller(stage, 'sandbox')
      assert.deepEqual(dataOf(await sandbox('GET', CATALOGS)), [])
      dataOf(await sandbox('POST', CATALOGS, { name: 'Sandbox' }))
    })

    test('the catalog of another user, or of the other host, is not found, and its user id is refused', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { path } = await createCatalog(stage)
      for (const ads of [adsCaller(stage, 'production', graces), adsCaller(stage, 'sandbox')]) {
        assert.deepEqual(mistakesOf(await ads('PUT', path, { name: 'Mine' })), [404, 'NOT_FOUND'])
        assert.deepEqual(mistakesOf(await ads('DELETE', path)), [404, 'NOT_FOUND'])
        assert.deepEqual(mistakesOf(await ads('GET', `${path}/products`)), [404, 'NOT_FOUND'])
      }
      const put = await sendJson(stage, 'PUT', `${path}/products`, { products: [cup()] }, { credentials: graces })
      assert.deepEqual(mistakesOf(put), [404, 'NOT_FOUND'])
      const ads = adsCaller(stage)
      assert.deepEqual(mistakesOf(await ads('GET', CATALOGS, { user_id: grace.id })), [403, 'ACTION_NOT_ALLOWED user_id'])
      assert.deepEqual(mistakesOf(await ads('POST', CATALOGS, { name: 'Hers', user_id: grace.id })), [403, 'ACTION_NOT_ALLOWED user_id'])
    })

    test('an app without early access is refused everywhere', async () => {
      await using stage = await setStage({ flavour, seed: withoutEarlyAccess })
      const ads = adsCaller(stage)
      assert.deepEqual(mistakesOf(await ads('GET', CATALOGS)), [403, 'UNAUTHORIZED_CLIENT_APPLICATION'])
      assert.deepEqual(mistakesOf(await ads('POST', CATALOGS, { name: 'x' })), [403, 'UNAUTHORIZED_CLIENT_APPLICATION'])
      const put = await sendJson(stage, 'PUT', `${CATALOGS}/1/products`, { products: [cup()] })
      assert.deepEqual(mistakesOf(put), [403, 'UNAUTHORIZED_CLIENT_APPLICATION'])
    })

    test('calls are limited per user: 20 new catalogs in 15 minutes', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const ads = adsCaller(stage)
      const first = await ads('POST', CATALOGS, { name: 'x' })
      assert.equal(first.headers.get('x-rate-limit-limit'), '20')
      assert.equal((await ads('GET', CATALOGS)).headers.get('x-rate-limit-limit'), '1000')
      for (let call = 2; call <= 20; call++) assert.equal((await ads('POST', CATALOGS, { name: 'x' })).status, 400)
      assert.deepEqual(mistakesOf(await ads('POST', CATALOGS, { name: 'x' })), [429, 'TOO_MANY_REQUESTS'])
    })

    test("deleting a user deletes the user's catalog", async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { add } = await createCatalog(stage)
      await add(cup())
      assert.equal((await stage.operator('DELETE', `/operator/users/${ada.id}`)).status, 200)
      for (const table of ['product_catalogs', 'products']) assert.deepEqual(await rawRows(stage.databaseUrl, `select * from ${table}`), [])
    })
  })
