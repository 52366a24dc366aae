import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { BodyReceiver } from '../../../src/delivery/send/read-answer.ts'
import { runFeed } from '../../../src/endpoints/ads/catalogs/feeds/run-feed.ts'
import { nextRunMs } from '../../../src/endpoints/ads/catalogs/feeds/schedule.ts'
import type { Claim } from '../../../src/storage/due-work.ts'
import { DatabaseAway, DeletedMeanwhile } from '../../../src/storage/unavailable.ts'
import { adsSeed, dataOf, mistakesOf } from '../../stage/ads.ts'
import { startCallback } from '../../stage/callback-servers.ts'
import { createCatalog, cup } from '../../stage/catalogs.ts'
import { databasesOf } from '../../stage/databases.ts'
import { setPair } from '../../stage/pair.ts'
import { type Stage, setStage } from '../../stage/postern.ts'
import { rawRows } from '../../storage/samples.ts'

const DAY_MS = 86_400_000

/** How long it is to the next run of a DAILY feed at 00:00. */
const untilMidnight = ({ clock }: Stage) => DAY_MS - (clock.now() % DAY_MS)

/** A file that the server has, by path. */
type Files = Record<string, string | Buffer>

const startFiles = (files: Files) =>
  startCallback(({ target }, response) => {
    const body = files[target]
    response.writeHead(body === undefined ? 404 : 200).end(body ?? 'no such file')
  })

const HEADER = 'id,title,description,availability,condition,price,link,image_link,brand,inventory'
const row = (id: string, price = '12.50 USD', more = '5') =>
  `${id},"Cup, large","A ""good"" cup",in stock,new,${price},https://shop.example/${id},https://10.0.0.1/${id}.png,Cups,${more}`

interface Report {
  state: string
  [member: string]: unknown
}

/** A catalog with a daily feed of this file, and its reports. */
async function withFeed(stage: Stage, params: Record<string, string>) {
  const catalog = await createCatalog(stage)
  const { path, ads } = catalog
  const feed = dataOf(await ads('POST', `${path}/scheduled_feeds`, { frequency: 'DAILY', start_time: '00:00', ...params }))
  const feedPath = `${path}/scheduled_feeds/${feed.id}`
  const reports = async (): Promise<Report[]> => dataOf(await ads('GET', `${feedPath}/reports`))
  return {
    ...catalog,
    feed,
    feedPath,
    reports,
    /** Advances to the next run; resolves with its report once it has ended. */
    async run(): Promise<Report> {
      const before = (await reports()).length
      stage.clock.advance(untilMidnight(stage))
      return stage.until(async () => {
        const [newest, ...older] = await reports()
        return newest !== undefined && older.length >= before && newest.state !== 'RUNNING' && newest
      })
    },
  }
}

const counts = ({ state, rows, created, updated, unchanged, failed, failure }: Report) => ({
  state,
  rows,
  created,
  updated,
  unchanged,
  failed,
  failure,
})

const none = { rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0 }

for (const flavour of databasesOf(import.meta))
  suite(`scheduled feeds on ${flavour}`, () => {
    test('a feed is created, listed, read, updated and deleted; a catalog has one', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { id: catalogId, path, ads } = await createCatalog(stage)
      const feeds = `${path}/scheduled_feeds`
      assert.deepEqual(dataOf(await ads('GET', feeds)), [])
      const given = {
        feed_url: 'https://shop.example/p.csv',
        feed_format: 'CSV',
        frequency: 'WEEKLY',
        repeat: 'MONDAY',
        start_time: '06:30',
      }
      const created = dataOf(await ads('POST', feeds, { ...given, time_zone: 'Europe/Berlin' }))
      assert.match(created.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.deepEqual(created, {
        id: created.id,
        product_catalog_id: catalogId,
        ...given,
        time_zone: 'Europe/Berlin',
        created_at: created.created_at,
        updated_at: created.created_at,
      })
      assert.deepEqual(dataOf(await ads('GET', feeds)), [created])
      assert.deepEqual(dataOf(await ads('GET', `${feeds}/${created.id}`)), created)
      assert.deepEqual(mistakesOf(await ads('POST', feeds, given)), [400, 'INVALID'])
      stage.clock.advance(1000)
      const updated = dataOf(await ads('PUT', `${feeds}/${created.id}`, { frequency: 'DAILY', repeat: '', feed_format: 'XML' }))
      assert.ok(updated.updated_at > created.updated_at)
      assert.deepEqual(updated, { ...created, frequency: 'DAILY', repeat: null, feed_format: 'XML', updated_at: updated.updated_at })
      assert.deepEqual(dataOf(await ads('GET', `${feeds}/${created.id}/reports`)), [])
      assert.deepEqual(dataOf(await ads('DELETE', `${feeds}/${created.id}`)), updated)
      for (const method of ['GET', 'PUT', 'DELETE'])
        assert.deepEqual(mistakesOf(await ads(method, `${feeds}/${created.id}`)), [404, 'NOT_FOUND'])
    })

    test('a schedule without a date, a URL that is not https and an unknown time zone are refused by name', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { path, ads } = await createCatalog(stage)
      const given = { feed_url: 'https://shop.example/p.csv', feed_format: 'CSV', frequency: 'DAILY', start_time: '06:30' }
      const wrong: [Record<string, string>, string][] = [
        [{ frequency: 'DAILY', repeat: '1' }, 'repeat'],
        [{ frequency: 'WEEKLY' }, 'repeat'],
        [{ frequency: 'WEEKLY', repeat: '2' }, 'repeat'],
        [{ frequency: 'HOURLY' }, 'repeat'],
        [{ frequency: 'HOURLY', repeat: '5' }, 'repeat'],
        [{ frequency: 'HOURLY', repeat: 'MONDAY' }, 'repeat'],
        [{ frequency: 'MONTHLY' }, 'frequency'],
        [{ start_time: '24:00' }, 'start_time'],
        [{ start_time: '6:30' }, 'start_time'],
        [{ time_zone: 'Mars/Olympus' }, 'time_zone'],
        [{ feed_format: 'JSON' }, 'feed_format'],
        [{ feed_url: 'http://shop.example/p.csv' }, 'feed_url'],
        [{ feed_url: 'shop' }, 'feed_url'],
      ]
      for (const [params, parameter] of wrong) {
        const answer = await ads('POST', `${path}/scheduled_feeds`, { ...given, ...params })
        assert.deepEqual(mistakesOf(answer), [400, `INVALID_PARAMETER ${parameter}`], JSON.stringify(params))
      }
    })

    test('a CSV file is put row by row on schedule, and a report tells what became of each', async () => {
      const files: Files = { '/p.csv': `\ufeff${HEADER},colour\r\n${row('a')},red\r\n${row('b', 'free')},red\r\n\r\n${row('c')},red\r\n` }
      await using server = await startFiles(files)
      await using stage = await setStage({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const { run, list, feed, reports } = await withFeed(stage, { feed_url: `${server.origin}/p.csv`, feed_format: 'CSV' })
      assert.deepEqual(await reports(), [])
      const first = await run()
      assert.deepEqual(counts(first), { state: 'DONE', rows: 3, created: 2, updated: 0, unchanged: 0, failed: 1, failure: null })
      assert.equal(first.scheduled_feed_id, feed.id)
      assert.equal(typeof first.duration_ms, 'number')
      assert.deepEqual(first.errors, [
        { row: 2, id: 'b', errors: ['price must be a number, a space and the three capital letters of a currency, such as 12.50 USD'] },
      ])
      const products = await list()
      assert.deepEqual(
        products.map(({ id, title, description, inventory }) => [id, title, description, inventory]),
        [
          ['c', 'Cup, large', 'A "good" cup', 5],
          ['a', 'Cup, large', 'A "good" cup', 5],
        ],
      )
      files['/p.csv'] = [HEADER, row('a'), row('c', '9 USD'), row('d')].join('\n')
      assert.deepEqual(counts(await run()), { state: 'DONE', rows: 3, created: 1, updated: 1, unchanged: 1, failed: 0, failure: null })
      assert.equal((await reports()).length, 2)
      assert.equal(server.requests.length, 2)
    })

    test('TSV, RSS and Atom files are read, with and without the prefix g:', async () => {
      const images = 'https://10.0.0.1/1.png'
      const shared = `<description>A &lt; b &amp; c</description><availability>in stock</availability>`
      const prefixed = `<g:condition>new</g:condition><g:price>12.50 USD</g:price><g:image_link>${images}</g:image_link><g:brand>Cups</g:brand>`
      const twoImages = `<g:additional_image_link>${images}?1</g:additional_image_link><g:additional_image_link>${images}?2</g:additional_image_link>`
      const rss = `<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0" version="2.0"><channel><title>Shop</title>
        <item><g:id>rss</g:id><title>Other</title><g:title><![CDATA[Cup & more]]></g:title><link>https://shop.example/rss</link>${shared}${prefixed}${twoImages}
        <g:shipping><g:price>1 USD</g:price></g:shipping></item></channel></rss>`
      const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"><title>Shop</title>
        <entry><id>atom</id><title>Cup</title><link href="https://shop.example/atom"/>${shared}${prefixed}</entry></feed>`
      const tsv = `${HEADER.replaceAll(',', '\t')}\ntsv\tA "good" cup\tA cup\tin stock\tnew\t12.50 USD\thttps://shop.example/tsv\t${images}\tCups\t3\n`
      await using server = await startFiles({ '/rss.xml': rss, '/atom.xml': atom, '/p.tsv': tsv })
      await using stage = await setStage({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const { run, list, ads, feedPath } = await withFeed(stage, { feed_url: `${server.origin}/rss.xml`, feed_format: 'XML' })
      const one = { state: 'DONE', rows: 1, created: 1, updated: 0, unchanged: 0, failed: 0, failure: null }
      assert.deepEqual(counts(await run()), one)
      dataOf(await ads('PUT', feedPath, { feed_url: `${server.origin}/atom.xml` }))
      assert.deepEqual(counts(await run()), one)
      dataOf(await ads('PUT', feedPath, { feed_url: `${server.origin}/p.tsv`, feed_format: 'TSV' }))
      assert.deepEqual(counts(await run()), one)
      assert.deepEqual(
        (await list()).map(({ id, title, link, description, additional_image_link }) => [
          id,
          title,
          link,
          description,
          additional_image_link,
        ]),
        [
          ['tsv', 'A "good" cup', 'https://shop.example/tsv', 'A cup', null],
          ['atom', 'Cup', 'https://shop.example/atom', 'A < b & c', null],
          ['rss', 'Cup & more', 'https://shop.example/rss', 'A < b & c', `${images}?1,${images}?2`],
        ],
      )
    })

    test('a file that is missing, malformed, cut off or of another format fails the run with the reason', async () => {
      const bomb = `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><rss><channel><item><id>&b;</id></item></channel></rss>`
      const files: Files = {
        '/bomb.xml': bomb,
        '/deep.xml': '<a>'.repeat(1000),
        '/cut.xml': '<rss><channel><item><id>x</id>',
        '/page.xml': 'no XML at all',
        '/quote.csv': `${HEADER}\n${row('a')}\nb,"never closed`,
        '/long.csv': `${HEADER}\n"${'x'.repeat(600_000)}`,
        '/commas.csv': `${HEADER}\n${','.repeat(200_000)}`,
        '/header.csv': `${'id,'.repeat(200)}id\n${row('a')}`,
        '/elements.xml': `<rss><channel><item>${'<g:id>x</g:id>'.repeat(501)}</item></channel></rss>`,
        '/attributes.xml': `<rss ${Array.from({ length: 101 }, (_, number) => `a${number}=""`).join(' ')}></rss>`,
        '/row.xml': `<rss><channel><item>${`<x><y>${'x'.repeat(60_000)}</y></x>`.repeat(9)}</item></channel></rss>`,
      }
      await using server = await startFiles(files)
      await using stage = await setStage({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const { run, list, ads, feedPath } = await withFeed(stage, { feed_url: `${server.origin}/gone.csv`, feed_format: 'CSV' })
      const failure = async (path: string, feed_format: string) => {
        dataOf(await ads('PUT', feedPath, { feed_url: server.origin + path, feed_format }))
        const report = await run()
        assert.equal(report.state, 'FAILED')
        return report.failure as string
      }
      assert.equal(await failure('/gone.csv', 'CSV'), 'the file could not be fetched: the server answered 404 instead of 200')
      assert.match(await failure('/bomb.xml', 'XML'), /^the file is not XML: line 1: Invalid character entity/)
      assert.equal(await failure('/deep.xml', 'XML'), 'the file is not XML: line 1: elements are nested more than 32 levels deep')
      assert.match(await failure('/cut.xml', 'XML'), /^the file is not XML: at the end: Unclosed root tag/)
      assert.match(await failure('/page.xml', 'XML'), /^the file is not XML: line 1: /)
      assert.match(await failure('/quote.csv', 'CSV'), /^the file is not CSV: Quote Not Closed/)
      assert.match(await failure('/long.csv', 'CSV'), /^the file is not CSV: Max Record Size/)
      assert.equal(await failure('/commas.csv', 'CSV'), 'the file is not CSV: a row has more than 200 columns')
      assert.equal(await failure('/header.csv', 'CSV'), 'the file is not CSV: a row has more than 200 columns')
      assert.equal(await failure('/elements.xml', 'XML'), 'the file is not XML: line 1: a row has more than 500 elements')
      assert.equal(await failure('/attributes.xml', 'XML'), 'the file is not XML: line 1: an element has more than 100 attributes')
      assert.equal(await failure('/row.xml', 'XML'), 'the file is not XML: line 1: a row has more than 524288 characters')
      assert.deepEqual(await list(), [])
    })

    test('a redirect of a feed or an image is not followed, wherever it leads', async () => {
      await using elsewhere = await startFiles({ '/feed.csv': `${HEADER}\n${row('a')}` })
      await using server = await startCallback(({ target }, response) => {
        response.writeHead(302, { location: `${elsewhere.origin}/feed.csv` }).end(target)
      })
      await using stage = await setStage({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const { run, put } = await withFeed(stage, { feed_url: `${server.origin}/feed.csv`, feed_format: 'CSV' })
      assert.equal((await run()).failure, 'the file could not be fetched: the server answered 302 instead of 200')
      const warning = await stage.until(async () => (await put(cup({ image_link: `${server.origin}/a.png` })))[0]!.warnings[0])
      assert.equal(warning, `${server.origin}/a.png: the image could not be fetched: the server answered 302 instead of 200`)
      assert.equal(elsewhere.connections(), 0)
    })

    test('of columns that come several times the first text counts, and images are a list', async () => {
      const file = [
        `g:id,${HEADER},additional_image_link,Title,additional image link`,
        `,${row('a')},https://10.0.0.1/1,Other,https://10.0.0.1/2`,
      ]
      await using server = await startFiles({ '/p.csv': file.join('\n') })
      await using stage = await setStage({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const { run, list } = await withFeed(stage, { feed_url: `${server.origin}/p.csv`, feed_format: 'CSV' })
      assert.deepEqual(counts(await run()), { ...none, state: 'DONE', rows: 1, created: 1, failure: null })
      assert.deepEqual(
        (await list()).map(({ id, title, additional_image_link: images }) => [id, title, images]),
        [['a', 'Cup, large', 'https://10.0.0.1/1,https://10.0.0.1/2']],
      )
    })

    test('a large file is read in bounded memory: rows wait for the database', async () => {
      const rows = Array.from({ length: 800 }, (_, index) => row(`p${index}`, '1 USD', '1').replace('A ""good"" cup', 'x'.repeat(4900)))
      await using server = await startFiles({ '/p.csv': [HEADER, ...rows].join('\n') })
      await using stage = await setStage({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const { run } = await withFeed(stage, { feed_url: `${server.origin}/p.csv`, feed_format: 'CSV' })
      assert.deepEqual(counts(await run()), { ...none, state: 'DONE', rows: 800, created: 800, failure: null })
    })

    test('of all processes one fetches a feed that is due', async () => {
      await using server = await startFiles({ '/p.csv': [HEADER, row('a')].join('\n') })
      await using pair = await setPair({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const { run, reports } = await withFeed(pair.one, { feed_url: `${server.origin}/p.csv`, feed_format: 'CSV' })
      for (let day = 0; day < 3; day++) assert.equal((await run()).state, 'DONE')
      assert.deepEqual([server.requests.length, (await reports()).length], [3, 3])
    })

    test('a run whose process died is reported, and the file is not fetched again before its next date', async () => {
      await using server = await startFiles({ '/p.csv': [HEADER, row('a')].join('\n') })
      await using stage = await setStage({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const { run, feed, reports } = await withFeed(stage, { feed_url: `${server.origin}/p.csv`, feed_format: 'CSV' })
      await rawRows(
        stage.databaseUrl,
        `insert into feed_reports (id, feed_id, state, started_at_ms, "rows", created, updated, unchanged, failed, row_errors)
        values (1, ${feed.id}, 'RUNNING', 1, 0, 0, 0, 0, 0, '[]') returning id`,
      )
      stage.clock.advance(untilMidnight(stage))
      const [died] = await stage.until(async () => {
        const all = await reports()
        return all[0]?.state === 'FAILED' && all
      })
      assert.equal(died!.failure, 'the process ended during the run; the next one is at the next date of the schedule')
      assert.equal(server.requests.length, 0)
      assert.deepEqual(counts(await run()), { ...none, state: 'DONE', rows: 1, created: 1, failure: null })
      assert.equal(server.requests.length, 1)
    })

    test('a run goes on, and no other process takes it, while its file arrives slowly', async () => {
      let end = () => {}
      await using server = await startCallback((_, response) => {
        response.writeHead(200).write(`${HEADER}\n${row('a')}\n`)
        end = () => void response.end(row('b'))
      })
      await using pair = await setPair({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const { one } = pair
      const { reports } = await withFeed(one, { feed_url: `${server.origin}/p.csv`, feed_format: 'CSV' })
      one.clock.advance(untilMidnight(one))
      await server.received(1)
      for (let renewals = 0; renewals < 6; renewals++) {
        const dueAtMs = one.clock.now() + 20_000 + 59_000
        one.clock.advance(20_000)
        await one.until(async () => {
          const [feed] = await rawRows(one.databaseUrl, 'select due_at_ms from scheduled_feeds')
          return Number(feed!.due_at_ms) >= dueAtMs
        })
      }
      end()
      const [report] = await one.until(async () => {
        const all = await reports()
        return all[0]?.state !== 'RUNNING' && all
      })
      assert.deepEqual(counts(report!), { ...none, state: 'DONE', rows: 2, created: 2, failure: null })
      assert.deepEqual([server.requests.length, (await reports()).length], [1, 1])
    })

    test('of updates at the same time none is lost', async () => {
      await using pair = await setPair({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const { ads, feedPath } = await withFeed(pair.one, { feed_url: 'https://shop.example/p.csv', feed_format: 'CSV' })
      const all = { feed_url: 'https://shop.example/q.xml', feed_format: 'XML', start_time: '07:00', time_zone: 'Europe/Berlin' }
      for (const { status } of await Promise.all(Object.entries(all).map(([name, value]) => ads('PUT', feedPath, { [name]: value }))))
        assert.equal(status, 200)
      const { feed_url, feed_format, start_time, time_zone } = dataOf(await ads('GET', feedPath))
      assert.deepEqual({ feed_url, feed_format, start_time, time_zone }, all)
    })

    test('what a report repeats of a file is cut', async () => {
      await using server = await startFiles({ '/p.csv': `${HEADER}\n${'x'.repeat(300)}` })
      await using stage = await setStage({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const { run } = await withFeed(stage, { feed_url: `${server.origin}/p.csv`, feed_format: 'CSV' })
      assert.equal(((await run()).errors as { id: string }[])[0]!.id, 'x'.repeat(255))
    })

    test('a run that a stop cut off is reported as interrupted and made again after the next start', async () => {
      let isHanging = true
      await using server = await startCallback((_, response) => {
        response.writeHead(200).write(`${HEADER}\n${row('a')}\n`)
        if (!isHanging) response.end(row('b'))
      })
      await using stage = await setStage({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const { reports, ads, path, feedPath } = await withFeed(stage, { feed_url: `${server.origin}/p.csv`, feed_format: 'CSV' })
      stage.clock.advance(untilMidnight(stage))
      await server.received(1)
      await stage.stop()
      isHanging = false
      await stage.start()
      await server.received(2)
      const ended = await stage.until(async () => {
        const all: Report[] = dataOf(await ads('GET', `${feedPath}/reports`))
        return all.length === 2 && all.every(({ state }) => state !== 'RUNNING') && all
      })
      assert.deepEqual(ended.map(counts)[0], { ...none, state: 'DONE', rows: 2, created: 2, failure: null })
      assert.deepEqual(ended[1]!.failure, 'the run was interrupted, and begun again')
      assert.equal(dataOf(await ads('GET', `${path}/products`)).length, 2)
      assert.equal((await reports()).length, 2)
    })
  })

suite('a run of a feed that meets an outage of the database', () => {
  const feed = {
    id: '4',
    catalogId: '1',
    feedUrl: 'https://shop.example/p.csv',
    feedFormat: 'CSV',
    startTime: '06:30',
    timeZone: 'UTC',
  } as const
  const NOW = Date.parse('2026-03-01T06:30:00Z')
  const CLAIMED = { id: '4', untilMs: NOW + 60_000 }
  const away = async (): Promise<never> => {
    throw new DatabaseAway('away')
  }

  /**
   * Runs it with a file of one row. `change` is a transaction on the catalog; of the calls that report, those of `failing` fail. `before` is
   * why former runs failed, the newest first.
   */
  async function runOnce({ change = away, failing = [] as number[], isStopped = () => false, error = away, before = [] as string[] }) {
    const written: unknown[] = []
    let [calls, waits] = [0, 0]
    const scheduledFeeds = {
      byId: async () => ({ ...feed, frequency: 'DAILY', repeat: null, createdAtMs: 1, updatedAtMs: 1 }),
      endRunning: async () => false,
      reports: async (_: string, __: string, limit: number) => before.slice(0, limit).map((failure) => ({ failure })),
      async report({ state, failure }: { state: string; failure: string | null }, _: number, end?: { claim: Claim; nextDueAtMs: number }) {
        calls += 1
        if (failing.includes(calls)) return error()
        written.push([state, failure, end])
      },
    }
    const sender = {
      async send({ receiver }: { receiver: BodyReceiver }) {
        receiver.head(200, undefined, false)
        receiver.piece(Buffer.from(`${HEADER}\n${row('a')}\n`))
        return { kind: 'answered', status: 200 }
      },
    }
    const clock = {
      now: () => NOW,
      after(delayMs: number, run: () => void) {
        // The claim is not prolonged meanwhile.
        if (delayMs > 1000) return { cancel() {} }
        waits += 1
        setImmediate(run)
      },
    }
    const ids = { next: () => '5' }
    const imageChecks = { problems: async () => new Map(), request: async () => {} }
    const logger = { info() {}, error() {} }
    const options = {
      scheduledFeeds,
      catalogs: { change },
      imageChecks,
      sender,
      clock,
      ids,
      logger,
      hideRestricted: false,
      loopbackHttp: false,
    }
    await runFeed(CLAIMED, options as never, isStopped)
    return { written, waits }
  }

  const RUNNING = ['RUNNING', null, undefined]
  const CUT_OFF = 'the run was interrupted, and begun again'

  test('is reported as interrupted once that is over, and due again within a minute', async () => {
    const { written, waits } = await runOnce({ failing: [2, 3] })
    const end = { claim: CLAIMED, nextDueAtMs: NOW + 60_000 }
    assert.deepEqual(written, [RUNNING, ['FAILED', CUT_OFF, end]])
    assert.equal(waits, 2)
    const neverBegun = await runOnce({ failing: [1] })
    assert.deepEqual(neverBegun.written, [['FAILED', CUT_OFF, end]])
  })

  test('waits for its next date after three runs in a row that were made again', async () => {
    const given = async (before: string[]) => (await runOnce({ before })).written[1]
    const soon = ['FAILED', CUT_OFF, { claim: CLAIMED, nextDueAtMs: NOW + 60_000 }]
    const failure = 'the run was interrupted several times; the next one is at the next date of the schedule'
    assert.deepEqual(await given([CUT_OFF, CUT_OFF]), soon)
    assert.deepEqual(await given([CUT_OFF, CUT_OFF, CUT_OFF]), ['FAILED', failure, { claim: CLAIMED, nextDueAtMs: NOW + DAY_MS }])
    assert.deepEqual(await given([failure, CUT_OFF, CUT_OFF]), soon)
  })

  test('at its end keeps its report, and is not made again', async () => {
    const result = { warnings: [], errors: [], product_key: '1', id: 'a', status: 'CREATE_SUCCESS' }
    const { written, waits } = await runOnce({ change: (async () => [result]) as never, failing: [2, 3, 4] })
    assert.deepEqual(written, [RUNNING, ['DONE', null, { claim: CLAIMED, nextDueAtMs: NOW + DAY_MS }]])
    assert.equal(waits, 3)
  })

  test('waits for its end no longer once the process stops, or the feed was deleted', async () => {
    await assert.rejects(runOnce({ failing: [2], isStopped: () => true }), DatabaseAway)
    const error = async () => {
      throw new DeletedMeanwhile('deleted')
    }
    await assert.rejects(runOnce({ failing: [2], error }), DeletedMeanwhile)
  })
})

suite('the schedule of a feed', () => {
  const next = (
    schedule: { frequency: 'HOURLY' | 'DAILY' | 'WEEKLY'; repeat?: string; startTime: string; timeZone?: string },
    after: string,
  ) => new Date(nextRunMs({ repeat: null, timeZone: 'UTC', ...schedule }, Date.parse(after))).toISOString()

  test('DAILY runs at its time in its zone, each day', () => {
    assert.equal(next({ frequency: 'DAILY', startTime: '06:30' }, '2026-03-01T06:29:59.999Z'), '2026-03-01T06:30:00.000Z')
    assert.equal(next({ frequency: 'DAILY', startTime: '06:30' }, '2026-03-01T06:30:00Z'), '2026-03-02T06:30:00.000Z')
    const berlin = { frequency: 'DAILY', startTime: '06:30', timeZone: 'Europe/Berlin' } as const
    assert.equal(next(berlin, '2026-03-28T12:00:00Z'), '2026-03-29T04:30:00.000Z')
    assert.equal(next(berlin, '2026-03-27T12:00:00Z'), '2026-03-28T05:30:00.000Z')
    const kiritimati = { frequency: 'DAILY', startTime: '00:15', timeZone: 'Pacific/Kiritimati' } as const
    assert.equal(next(kiritimati, '2026-03-01T12:00:00Z'), '2026-03-02T10:15:00.000Z')
  })

  test('a time that the clocks skip is as long after the skip; one that they show twice is the first', () => {
    const berlin = { frequency: 'DAILY', startTime: '02:30', timeZone: 'Europe/Berlin' } as const
    assert.equal(next(berlin, '2026-03-28T12:00:00Z'), '2026-03-29T01:30:00.000Z')
    assert.equal(next(berlin, '2026-10-24T12:00:00Z'), '2026-10-25T00:30:00.000Z')
    assert.equal(next(berlin, '2026-10-25T00:30:00Z'), '2026-10-26T01:30:00.000Z')
  })

  test('HOURLY runs every so many hours, through its time', () => {
    const six = { frequency: 'HOURLY', repeat: '6', startTime: '22:15' } as const
    assert.equal(next(six, '2026-03-01T00:00:00Z'), '2026-03-01T04:15:00.000Z')
    assert.equal(next(six, '2026-03-01T22:15:00Z'), '2026-03-02T04:15:00.000Z')
    assert.equal(next({ frequency: 'HOURLY', repeat: '1', startTime: '00:00' }, '2026-03-01T23:00:00Z'), '2026-03-02T00:00:00.000Z')
    assert.equal(next({ frequency: 'HOURLY', repeat: '12', startTime: '13:00' }, '2026-03-01T01:30:00Z'), '2026-03-01T13:00:00.000Z')
  })

  test('WEEKLY runs on its day', () => {
    // 2026-03-02 is a Monday.
    const monday = { frequency: 'WEEKLY', repeat: 'MONDAY', startTime: '06:30' } as const
    assert.equal(next(monday, '2026-03-01T12:00:00Z'), '2026-03-02T06:30:00.000Z')
    assert.equal(next(monday, '2026-03-02T06:30:00Z'), '2026-03-09T06:30:00.000Z')
    const sunday = { frequency: 'WEEKLY', repeat: 'SUNDAY', startTime: '23:59', timeZone: 'America/Los_Angeles' } as const
    assert.equal(next(sunday, '2026-03-02T08:00:00Z'), '2026-03-09T06:59:00.000Z')
  })
})
