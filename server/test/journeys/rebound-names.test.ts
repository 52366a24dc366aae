// Names of feeds and images that lead to a public address first and to a private one later (DNS rebinding).
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { adsSeed, dataOf } from '../stage/ads.ts'
import { type Answering, startCallback, startNameServer } from '../stage/callback-servers.ts'
import { createCatalog, cup } from '../stage/catalogs.ts'
import { certificateAuthority, selfSigned } from '../stage/certificates.ts'
import { png } from '../stage/images.ts'
import { setStage } from '../stage/postern.ts'

const DAY_MS = 86_400_000
const ALLOWED = '127.0.0.1'
const VICTIM = '127.0.0.2'
const NAME = 'shop.test'

const FEED =
  'id,title,description,availability,condition,price,link,image_link,brand\na,Cup,A cup,in stock,new,1.00 USD,https://shop.example/a,https://10.0.0.1/a.png,Cups\n'

/** No connection is kept, so that each fetch resolves the name. */
const serve: Answering = ({ target }, response) =>
  void response.writeHead(200, { connection: 'close' }).end(target === '/feed.csv' ? FEED : png(500, 500))

test('a feed and an image are fetched from the address that was checked, and not once their name leads to a private one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-rebound-'))
  await using begun = new AsyncDisposableStack()
  begun.defer(() => rm(folder, { recursive: true }))
  const authority = await certificateAuthority('Shops')
  await writeFile(join(folder, 'ca.pem'), authority.cert)
  const certificate = await selfSigned({ hosts: [NAME], issuer: authority })
  const shop = begun.use(await startCallback(serve, { host: ALLOWED, ...certificate }))
  const victim = begun.use(await startCallback(serve, { host: VICTIM, port: shop.port, ...certificate }))
  const leads: Record<string, string[]> = { [NAME]: [ALLOWED] }
  const names = begun.use(await startNameServer(leads))
  const environment = {
    POSTERN_RATE_LIMITS: 'off',
    POSTERN_CALLBACK_RESOLVER: names.address,
    POSTERN_CALLBACK_ALLOW: `${ALLOWED}/32`,
    POSTERN_CALLBACK_CA: join(folder, 'ca.pem'),
  }
  const stage = begun.use(await setStage({ seed: adsSeed, environment }))
  const { path, ads, put } = await createCatalog(stage)
  const url = `https://${NAME}:${shop.port}`
  const feed = { feed_url: `${url}/feed.csv`, feed_format: 'CSV', frequency: 'DAILY', start_time: '00:00' }
  const { id } = dataOf(await ads('POST', `${path}/scheduled_feeds`, feed))
  const reports = async () => dataOf(await ads('GET', `${path}/scheduled_feeds/${id}/reports`))
  const run = async () => {
    const { length } = await reports()
    stage.clock.advance(DAY_MS - (stage.clock.now() % DAY_MS))
    return stage.until(async () => {
      const [newest, ...older] = await reports()
      return newest && older.length === length && newest.state !== 'RUNNING' && newest
    })
  }
  const putImage = () => put(cup({ id: 'pictured', image_link: `${url}/a.png` }))

  assert.deepEqual([(await run()).state, (await reports())[0].created], ['DONE', 1])
  await putImage()
  await shop.received(2)
  assert.deepEqual(new Set(shop.requests.map(({ target }) => target)), new Set(['/feed.csv', '/a.png']))

  for (const [place, addresses] of [[VICTIM], [ALLOWED, VICTIM], ['169.254.169.254'], ['10.0.0.1']].entries()) {
    leads[NAME] = addresses
    const refused = new RegExp(`could not be fetched: ${NAME} resolves to ${addresses.at(-1)!.replaceAll('.', '\\.')}, which is `)
    const { state, failure } = await run()
    assert.equal(state, 'FAILED', `${addresses}: ${failure}`)
    assert.match(failure, refused)
    const warning = await stage.until(async () => {
      const [result] = await put(cup({ id: `pictured-${place}`, image_link: `${url}/${place}.png` }))
      return result!.warnings[0]
    })
    assert.match(warning, refused)
  }
  assert.deepEqual([victim.connections(), shop.requests.length], [0, 2])
})
