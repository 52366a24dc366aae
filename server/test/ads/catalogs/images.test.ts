import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { putProducts } from '../../../src/endpoints/ads/catalogs/products/products.ts'
import { DatabaseAway } from '../../../src/storage/unavailable.ts'
import { adsSeed } from '../../stage/ads.ts'
import { type Answering, startCallback } from '../../stage/callback-servers.ts'
import { createCatalog, cup } from '../../stage/catalogs.ts'
import { databasesOf } from '../../stage/databases.ts'
import { gif, jpg, png, webp } from '../../stage/images.ts'
import { setPair } from '../../stage/pair.ts'
import { type Stage, setStage } from '../../stage/postern.ts'

const DAY_MS = 86_400_000

const MB_5 = 5 * 1024 * 1024

/** Files by path; one without a length is sent in chunks. */
const files: Record<string, { body: Buffer; chunked?: boolean; step?: number; status?: number }> = {
  '/right.png': { body: png(500, 500) },
  '/right.gif': { body: gif(500, 700) },
  '/right.webp': { body: webp(1000, 500) },
  '/right.jpg': { body: jpg(500, 500) },
  '/profile.jpg': { body: jpg(800, 600, 200_000) },
  '/chunked.png': { body: png(500, 500, 2_000_000), chunked: true },
  '/limit.png': { body: Buffer.concat([png(500, 500), Buffer.alloc(MB_5)], MB_5) },
  '/narrow.png': { body: png(499, 500) },
  '/flat.gif': { body: gif(500, 499) },
  '/flat.webp': { body: webp(500, 1) },
  '/narrow.jpg': { body: jpg(10, 500) },
  '/large.png': { body: Buffer.concat([png(500, 500), Buffer.alloc(MB_5)], MB_5 + 1) },
  '/bytes.jpg': { body: jpg(10, 500, 2_000), chunked: true, step: 1 },
  '/endless.png': { body: png(500, 500, 8_000_000), chunked: true },
  '/page.png': { body: Buffer.from('<!doctype html><title>No image</title>'.padEnd(500)) },
  '/empty.png': { body: Buffer.alloc(0) },
  '/cut.jpg': { body: jpg(500, 500, 1000).subarray(0, 500) },
  '/svg.png': { body: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600"/>') },
  '/gone.png': { body: png(500, 500), status: 404 },
}

const serve: Answering = ({ target }, response) => {
  const { body, chunked, step = 100_000, status = 200 } = files[target]!
  response.writeHead(status, chunked ? {} : { 'content-length': body.length })
  if (chunked) for (let from = 0; from < body.length; from += step) response.write(body.subarray(from, from + step))
  response.end(chunked ? undefined : body)
}

/** Puts the product until its answer has warnings. */
const warned = (stage: Stage, put: () => Promise<{ warnings: string[] }[]>) =>
  stage.until(async () => {
    const [result] = await put()
    return result!.warnings.length > 0 && result!.warnings
  })

for (const flavour of databasesOf(import.meta))
  suite(`images of products on ${flavour}`, () => {
    test('what is wrong with an image is a warning of the next answer; right ones have none', async () => {
      await using server = await startCallback(serve)
      await using stage = await setStage({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const { put } = await createCatalog(stage)
      const url = (path: string) => server.origin + path
      const products = Object.keys(files).map((path) => cup({ id: path, image_link: url(path) }))
      const first = await put(...products)
      assert.deepEqual(
        first.map(({ warnings, status }) => [warnings, status]),
        first.map(() => [[], 'CREATE_SUCCESS']),
      )
      const last = cup({ id: 'last', image_link: url('/gone.png'), additional_image_link: `${url('/narrow.png')},${url('/right.png')}` })
      await put(last)
      await server.received(Object.keys(files).length)
      const expected: Record<string, string> = {
        '/narrow.png': 'the image must be at least 500x500 pixels, not 499x500',
        '/flat.gif': 'the image must be at least 500x500 pixels, not 500x499',
        '/flat.webp': 'the image must be at least 500x500 pixels, not 500x1',
        '/narrow.jpg': 'the image must be at least 500x500 pixels, not 10x500',
        '/large.png': 'the image must be at most 5 MB',
        '/bytes.jpg': 'the image must be at least 500x500 pixels, not 10x500',
        '/endless.png': 'the image must be at most 5 MB',
        '/page.png': 'the image must be a JPG, GIF, WEBP or PNG',
        '/empty.png': 'the image must be a JPG, GIF, WEBP or PNG',
        '/cut.jpg': 'the image must be a JPG, GIF, WEBP or PNG',
        '/svg.png': 'the image must be a JPG, GIF, WEBP or PNG',
        '/gone.png': 'the image could not be fetched: the server answered 404 instead of 200',
      }
      const found = await stage.until(async () => {
        const results = await put(...products)
        return results.filter(({ warnings }) => warnings.length > 0).length >= Object.keys(expected).length && results
      })
      const warnings = Object.fromEntries(found.map((result) => [result.id, result.warnings]))
      for (const path of Object.keys(files))
        assert.deepEqual(warnings[path], expected[path] === undefined ? [] : [`${url(path)}: ${expected[path]}`], path)
      for (const { status } of found) assert.equal(status, 'NO_CHANGE')
      const [both] = await put(last)
      assert.deepEqual(both!.warnings, [
        `${url('/gone.png')}: ${expected['/gone.png']}`,
        `${url('/narrow.png')}: ${expected['/narrow.png']}`,
      ])
      assert.equal(server.requests.length, Object.keys(files).length)
      for (const { method, headers } of server.requests) assert.deepEqual([method, headers['user-agent']], ['GET', 'Postern'])
    })

    test('an image is fetched once a day by all processes together, however many products have it', async () => {
      await using server = await startCallback(serve)
      await using pair = await setPair({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const { put } = await createCatalog(pair.one)
      const image_link = `${server.origin}/narrow.png`
      const put25 = () => put(...Array.from({ length: 25 }, (_, index) => cup({ id: `p${index}`, image_link: `${image_link}#${index}` })))
      await Promise.all(Array.from({ length: 8 }, put25))
      await warned(pair.one, put25)
      assert.equal(server.requests.length, 1)
      pair.one.clock.advance(DAY_MS - 60_000)
      await put25()
      pair.one.clock.advance(60_001)
      await put25()
      await server.received(2)
      assert.equal(server.requests.length, 2)
    })

    test('a private address and one of metadata are not fetched, and the warning says so', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const { put } = await createCatalog(stage)
      const about = async (image_link: string) => (await warned(stage, () => put(cup({ image_link })))).join()
      assert.match(await about('https://10.0.0.1/x.png'), /could not be fetched: 10\.0\.0\.1 is in a private network/)
      assert.match(await about('https://169.254.169.254/x.png'), /could not be fetched: .* is a cloud metadata address/)
      assert.match(await about(`${stage.origins.base_url}/healthz`), /could not be fetched: .*Postern/)
    })

    test('a fetch that a stop cut off is made after the next start', async () => {
      let isHanging = true
      await using server = await startCallback((request, response) => void (isHanging || serve(request, response)))
      await using stage = await setStage({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const { put } = await createCatalog(stage)
      const image_link = `${server.origin}/narrow.png`
      await put(cup({ image_link }))
      await server.received(1)
      await stage.stop()
      isHanging = false
      await stage.start()
      await server.received(2)
      const { add } = { add: () => put(cup({ image_link })) }
      assert.deepEqual(await warned(stage, add), [`${image_link}: the image must be at least 500x500 pixels, not 499x500`])
      assert.equal(server.requests.length, 2)
    })
  })

test('products that are stored are answered without warnings of images while the database is away', async () => {
  const stored = { warnings: [], errors: [], product_key: '5', id: 'cup', status: 'CREATE_SUCCESS' }
  const catalogs = { byId: async () => ({ id: '1', host: 'production', userId: '101', name: 'x' }), change: async () => [stored] }
  const away = async () => {
    throw new DatabaseAway('away')
  }
  const call = { params: { product_catalog_id: '1', products: [cup()] }, caller: { user: { id: '101' }, adsHost: 'production' } }
  const services = { catalogs, imageChecks: { problems: away, request: away }, now: () => 5, loopbackHttp: false }
  assert.deepEqual(await putProducts.handle(call as never, services as never), { data: { products_response: [stored] } })
})
