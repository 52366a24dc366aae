import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { DEMO_SEED, readSeed } from '../../../src/endpoints/operator/seed/read-seed.ts'
import { backUpFrom, backupFolder, restoreTo } from '../../stage/backups.ts'
import { freePort } from '../../stage/free-port.ts'
import { OPERATOR_TOKEN, SECRET, setStage } from '../../stage/postern.ts'
import { openBrowser } from './browser.ts'
import { app, heading, look, setConsole, startPrefixProxy } from './console-stage.ts'

/** More digits than a double holds. */
const LARGE_ID = '9007199254740993123'

suite('the console in a real browser', () => {
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  test('no screen, full or empty, has an axe finding, a sideways scroll or a message in the browser, light or dark', async () => {
    await using seen = await setConsole(browser)
    const { page, url } = seen
    await page.goto(url())
    await page.getByText('Nothing has happened yet').waitFor()
    await look(page, 'feed-empty')
    await page.goto(url('webhooks'))
    await page.getByText('No app has a webhook yet').waitFor()
    await look(page, 'webhooks-empty')
    const { delivered, retrying, webhookId } = await seen.fill()
    await page.goto(url())
    await page.getByRole('link', { name: 'dm.received' }).first().waitFor()
    await page.getByText('Filter', { exact: true }).click()
    await page.getByRole('button', { name: 'Open: Delivery dm.received' }).first().click()
    await page.getByText('Payload').first().waitFor()
    await look(page, 'feed')
    await page.goto(url(`events/${delivered}`))
    await page.getByText('Delivered at the first attempt, within a second.').waitFor()
    await page.getByText('Attempt 1').waitFor()
    await page.getByText(/wait for the answer \d+ ms · read it \d+ ms/).waitFor()
    await look(page, 'event')
    await page.goto(url(`events/${retrying}/${webhookId}`))
    await page.getByText(/^Attempt 2 follows in/).waitFor()
    await look(page, 'delivery')
    await page.goto(url())
    await page.getByRole('link', { name: 'GET /2/users/me' }).click()
    await page.getByText('Refused.').waitFor()
    await look(page, 'call')
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByText('passed').waitFor()
    await look(page, 'webhooks')
    await page.getByRole('link', { name: 'Apps', exact: true }).click()
    await page.getByText(app.consumer_key!).first().waitFor()
    await look(page, 'apps')
    await page.goto(url('nowhere'))
    await heading(page, 'No such page')
    await look(page, 'nowhere')
    assert.deepEqual(seen.complaints, [])
  })

  test('what happens is shown as it happens, and held back while the list is read or paused', async () => {
    await using seen = await setConsole(browser)
    const { page, url, stage } = seen
    const { delivered } = await seen.fill()
    await page.goto(url('?kind=event'))
    await page.getByText('Live', { exact: true }).waitFor()
    const rows = page.locator('tbody tr')
    await stage.until(async () => (await rows.count()) === 2)
    await stage.publish({ text: 'at once' })
    await stage.until(async () => (await rows.count()) === 3)

    const more = page.getByRole('button', { name: 'Open: Event dm.received' }).first()
    await more.focus()
    await stage.publish({ text: 'held back' })
    await page.getByRole('button', { name: '1 new: show' }).waitFor()
    assert.equal(await rows.count(), 3)
    assert.equal(await more.evaluate((button) => button === button.ownerDocument.activeElement), true)
    await page.getByRole('button', { name: '1 new: show' }).click()
    await stage.until(async () => (await rows.count()) === 4)

    await page.getByRole('button', { name: 'Pause' }).click()
    await stage.publish({ text: 'while paused' })
    await stage.deliveriesWhen('max_results=10', (found) => found.length === 5)
    await page.getByText('Paused: nothing changes until you resume.').waitFor()
    assert.equal(await rows.count(), 4)
    await page.getByRole('button', { name: 'Resume' }).click()
    await stage.until(async () => (await rows.count()) === 5)

    await page.getByRole('button', { name: 'Remove the filter Event' }).click()
    assert.equal(new URL(page.url()).search, '')
    await page.goto(url(`events/${delivered}`))
    await heading(page, `Event ${delivered}`)
    assert.deepEqual(seen.complaints, [])
  })

  test('two tabs share one stream, and the other one goes on when the first is closed, without a gap', async () => {
    await using seen = await setConsole(browser)
    const { page, url, stage, context } = seen
    await seen.fill()
    const streams: string[] = []
    context.on('request', (request) => request.url().endsWith('/operator/feed') && streams.push(request.url()))
    await page.goto(url('?kind=event'))
    await page.getByText('Live', { exact: true }).waitFor()
    const other = await context.newPage()
    await other.goto(url('?kind=event'))
    await other.getByText('Live', { exact: true }).waitFor()
    assert.equal(streams.length, 1)
    await other.route('**/operator/feed', async (route) => {
      await stage.publish({ text: 'while no tab has the stream' })
      // What was gathered is told before the next tab listens.
      stage.clock.advance(100)
      await route.continue()
    })
    await page.close()
    await stage.until(() => streams.length === 2)
    await other.getByText('Live', { exact: true }).waitFor()
    await stage.publish({ text: 'to the other tab' })
    await stage.until(async () => (await other.locator('tbody tr').count()) === 4)
    assert.deepEqual(seen.complaints, [])
  })

  test('a page is read again while the feed tells of it without a pause', async () => {
    await using seen = await setConsole(browser)
    const { page, url, context } = seen
    const { delivered } = await seen.fill()
    await page.goto(url())
    await page.getByText('Live', { exact: true }).waitFor()
    const other = await context.newPage()
    await other.goto(url(`events/${delivered}`))
    await other.getByText('Attempt 1').waitFor()
    let reads = 0
    other.on('request', (request) => {
      if (request.url().endsWith(`/operator/events/${delivered}`)) reads += 1
    })
    // The first tab has the stream: it tells the other one so.
    await page.evaluate(
      async ([name, event_uuid]) => {
        const channel = new BroadcastChannel(name!)
        const updates = [{ kind: 'attempt', event_uuid }]
        for (let told = 0; told < 20; told++) {
          channel.postMessage({ type: 'updates', updates, skipped: 0 })
          await new Promise((resolve) => setTimeout(resolve, 100))
        }
      },
      [`postern-feed ${url()}`, delivered],
    )
    assert.ok(reads >= 3, `it was read ${reads} times in two seconds`)
    assert.deepEqual(seen.complaints, [])
  })

  test('a delivery is followed with the keyboard alone: from the feed to its page, where focus is at the heading, and resent', async () => {
    await using seen = await setConsole(browser)
    const { page, url, stage } = seen
    await seen.fill()
    await page.goto(url('?kind=delivery&outcome=delivered'))
    await page.getByRole('link', { name: 'dm.received' }).waitFor()
    for (let presses = 0; presses < 30; presses++) {
      await page.keyboard.press('Tab')
      if ((await page.evaluate(() => document.activeElement?.textContent)) === 'dm.received') break
    }
    await page.keyboard.press('Enter')
    await heading(page, /^Delivery of event/)
    assert.match(await page.title(), /^Delivery of event \d+ – Postern$/)
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1')
    await page.getByRole('button', { name: 'Resend' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('It is sent again.').waitFor()
    await page.getByText('Attempt 2').waitFor()
    await stage.deliveriesWhen('state=delivered', ([first]) => first?.attempts.length === 2)
    assert.deepEqual(seen.complaints, [])
  })

  test('the key / leads to the filters or the search of a page, ? shows the keys, and whoever writes has both as characters', async () => {
    await using seen = await setConsole(browser)
    const { page, url } = seen
    await page.goto(url())
    await page.getByText('Filter', { exact: true }).waitFor()
    await page.keyboard.press('/')
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Filter')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await look(page, 'keys')
    await page.keyboard.press('Escape')
    await page.goto(url('search'))
    await page.getByLabel('Text, as it is').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('a/b?')
    assert.equal(await page.getByLabel('Text, as it is').inputValue(), 'a/b?')
    assert.equal(await page.getByRole('dialog').count(), 0)
    assert.deepEqual(seen.complaints, [])
  })

  test('the keys / and ? can be turned off, which the browser remembers without anything else', async () => {
    await using seen = await setConsole(browser)
    const { page, url } = seen
    await page.goto(url())
    await page.getByText('Filter', { exact: true }).waitFor()
    await page.getByLabel('Keys').selectOption('off')
    await page.reload()
    await page.getByText('Filter', { exact: true }).waitFor()
    assert.equal(await page.getByLabel('Keys').inputValue(), 'off')
    await page.keyboard.press('?')
    await page.keyboard.press('/')
    assert.deepEqual(await page.evaluate(() => [document.querySelectorAll('dialog').length, document.activeElement?.tagName]), [0, 'BODY'])
    assert.deepEqual(await page.evaluate(() => ({ ...localStorage })), { 'postern.keys': 'off' })
    await page.getByLabel('Keys').selectOption('on')
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    assert.deepEqual(seen.complaints, [])
  })

  test('rows that arrive move neither the focus nor what is read', async () => {
    await using seen = await setConsole(browser)
    const { page, url, stage } = seen
    await seen.fill()
    await stage.publish(...Array.from({ length: 30 }, (_, n) => ({ n })))
    await page.setViewportSize({ width: 1024, height: 500 })
    await page.goto(url('?kind=event'))
    const rows = page.locator('tbody tr')
    await stage.until(async () => (await rows.count()) === 32)
    await page.mouse.move(0, 0)
    const row = page.getByRole('button', { name: 'Open: Event dm.received' }).nth(20)
    await row.scrollIntoViewIfNeeded()
    const place = () => row.evaluate((button) => button.getBoundingClientRect().top)
    const before = await place()
    assert.ok((await page.evaluate(() => scrollY)) > 8)
    await stage.publish({ n: 31 }, { n: 32 })
    await page.getByRole('button', { name: '2 new: show' }).waitFor()
    assert.ok(Math.abs((await place()) - before) < 1, 'what is read stays where it was')

    await page.evaluate(() => scrollTo(0, 0))
    const chosen = page.getByLabel('Kind')
    await page.getByText('Filter', { exact: true }).click()
    await chosen.focus()
    await page.getByRole('button', { name: '2 new: show' }).waitFor()
    await stage.publish({ n: 33 })
    await stage.until(async () => (await rows.count()) >= 33 || (await page.getByRole('button', { name: '3 new: show' }).count()) === 1)
    assert.equal(await chosen.evaluate((field) => field === document.activeElement), true)
    assert.equal(await page.evaluate(() => scrollY), 0)
    assert.deepEqual(seen.complaints, [])
  })

  test('what a busy server makes the feed read again moves neither the focus nor what is read', async () => {
    await using seen = await setConsole(browser)
    const { page, url, stage } = seen
    await seen.fill()
    await page.goto(url('?kind=event'))
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Open: Event dm.received' }).last().click()
    await page.locator('tr.more').getByText('Payload').waitFor()
    const open = page.getByRole('button', { name: 'Close: Event dm.received' })
    await open.focus()
    await stage.publish(...Array.from({ length: 300 }, (_, n) => ({ n })))
    const show = page.getByRole('button', { name: /^\d+ new: show$/ })
    // The feed tells 200 of them.
    await stage.until(async () => Number.parseInt(await show.innerText(), 10) > 200)
    assert.equal(await page.locator('tbody tr').count(), 3)
    assert.equal(await open.evaluate((button) => button === button.ownerDocument.activeElement), true)
    await show.click()
    await stage.until(async () => (await page.locator('tbody tr').count()) > 100)
    assert.deepEqual(seen.complaints, [])
  })

  test('ids keep all their digits, and times follow the zone that is chosen', async () => {
    await using seen = await setConsole(browser)
    const { page, url, stage } = seen
    const { token } = await seen.fill()
    const body = `{"url":"https://example.com/","large_id":${LARGE_ID}}`
    await stage.api('POST', '/2/webhooks', { token, headers: { 'content-type': 'application/json' }, body })
    await page.goto(url('?kind=call'))
    await page.getByRole('link', { name: 'POST /2/webhooks' }).first().click()
    await page.getByText(LARGE_ID, { exact: true }).waitFor()
    assert.match((await page.locator('time').first().textContent())!, / UTC$/)
    await page.getByLabel('Time').selectOption('local')
    assert.match((await page.locator('time').first().textContent())!, / [+−]\d\d:\d\d$/)
  })

  test('plots, their tables and fields show the time of the zone that is chosen', async () => {
    await using seen = await setConsole(browser, {}, { timezoneId: 'Asia/Kolkata' })
    const { page, url, stage } = seen
    await seen.fill()
    await page.goto(url('overview'))
    await page.getByText('Events and attempts as a table').click()
    const plot = page.locator('.uplot canvas').first()
    const drawn = () => plot.evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL())
    const shown = async () => ({
      row: await page
        .getByRole('table', { name: /^Events and attempts/ })
        .locator('time')
        .first()
        .innerText(),
      title: await page
        .getByRole('table', { name: /^Events and attempts/ })
        .locator('time')
        .first()
        .getAttribute('title'),
      at: Date.parse(
        (await page
          .getByRole('table', { name: /^Events and attempts/ })
          .locator('time')
          .first()
          .getAttribute('datetime'))!,
      ),
      from: await page.getByLabel(/^From \((UTC|local)\)$/).inputValue(),
    })
    const minutes = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5))
    await plot.waitFor()
    const inUtc = { ...(await shown()), drawn: await drawn() }
    assert.ok(inUtc.row.endsWith(' UTC'), inUtc.row)
    await page.getByRole('combobox', { name: 'Time' }).selectOption('local')
    await stage.until(async () => (await drawn()) !== inUtc.drawn)
    const local = await shown()
    const india = new Date(local.at + 330 * 60_000).toISOString().slice(0, 19).replace('T', ' ')
    assert.ok(local.title!.startsWith(india) && local.title!.endsWith(' +05:30'), local.title!)
    assert.ok(local.row.endsWith(' +05:30'), local.row)
    const ahead = (minutes(local.from.slice(11)) - minutes(inUtc.from.slice(11)) + 1440) % 1440
    assert.ok(ahead === 330 || ahead === 331, local.from)
    assert.deepEqual(seen.complaints, [])
  })

  test('in development nobody signs in or out on the machine of the server; behind a proxy both are there', async () => {
    await using seen = await setConsole(browser)
    const { page, url, context } = seen
    await page.goto(url('webhooks'))
    await page.getByText('No app has a webhook yet').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Sign out' }).count(), 0)
    await context.clearCookies()
    await page.setExtraHTTPHeaders({ 'x-forwarded-for': '192.0.2.7' })
    await page.goto(url('webhooks'))
    await heading(page, 'Sign in')
    await page.getByLabel('Operator token').fill(OPERATOR_TOKEN)
    await page.keyboard.press('Enter')
    await heading(page, 'Webhooks')
    await page.route('**/operator/session', (route) => route.abort())
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('The server does not answer. Is it running?').waitFor()
    await page.unroute('**/operator/session')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await heading(page, 'Sign in')
    assert.deepEqual(await context.cookies(), [])
    await page.goto(url('apps'))
    await heading(page, 'Sign in')
  })

  test('a webhook has its page however many there are', async () => {
    const { document: demo } = await readSeed(DEMO_SEED)
    const webhooks = Array.from({ length: 1002 }, (_, place) => ({
      id: String(5_000_000_000_000_000_000n + BigInt(place)),
      consumer_key: app.consumer_key!,
      url: `https://a${place}.example.com/webhook`,
      valid: true,
    }))
    await using seen = await setConsole(browser, {}, {}, { ...demo, webhooks })
    const { page, url } = seen
    const last = webhooks.at(-1)!
    await page.goto(url(`webhooks/${last.id}`))
    await page.getByText(last.url, { exact: true }).first().waitFor()
    await page.goto(url('webhooks/4999999999999999999'))
    await page.getByText('There is no webhook 4999999999999999999').waitFor()
    assert.deepEqual(seen.complaints, [])
  })

  test('an app has its page however many there are', async () => {
    await using seen = await setConsole(browser)
    const { page, url } = seen
    // More than the console reads of their names.
    await page.route('**/operator/apps?*', (route) => route.fulfill({ json: { data: [], meta: { result_count: 0, next_after: '1' } } }))
    await page.goto(url(`apps/${app.id}`))
    await heading(page, `App ${app.name}`)
    await page.getByText(app.consumer_key!).first().waitFor()
    await page.goto(url('apps/4999999999999999999'))
    await page.getByText('There is no app 4999999999999999999').waitFor()
  })

  test('a server that stops is said, and when it is back the console goes on by itself', async () => {
    await using seen = await setConsole(browser, { POSTERN_PORT: String(await freePort()) })
    const { page, url, stage } = seen
    await seen.fill()
    await page.goto(url('?kind=event'))
    await page.getByText('Live', { exact: true }).waitFor()
    await stage.stop()
    const isLost = page.getByText('The server does not answer. The console tries again')
    await isLost.waitFor()
    await look(page, 'server-stopped')
    assert.equal(await page.locator('tbody tr').count(), 2)
    await stage.start()
    await page.getByText('Live', { exact: true }).waitFor()
    assert.equal(await isLost.count(), 0)
    await stage.publish({ text: 'after the restart' })
    await stage.until(async () => (await page.locator('tbody tr').count()) === 3)
  })

  test('a restored copy that is held says so on every page until it is released', async () => {
    await using original = await setStage({ seed: { apps: [app] } })
    await using folder = await backupFolder()
    await backUpFrom(original.databaseUrl, folder.at('backup'))
    await restoreTo(`sqlite:${folder.at('copy.db')}`, folder.at('backup'), undefined, true)
    await using copy = await setStage({ environment: { POSTERN_DATABASE_URL: `sqlite:${folder.at('copy.db')}` }, seed: {} })
    await using context = await browser.newContext()
    const page = await context.newPage()
    const isHeld = page.getByText(/^This is a restored copy, held since .* UTC: it accepts events and sends nothing\./)
    for (const path of ['', 'overview', 'operate/storage']) {
      await page.goto(`${copy.origins.base_url}/console/${path}`)
      await isHeld.waitFor()
    }
    await look(page, 'held-copy')
    await copy.operator('POST', '/operator/release')
    await isHeld.waitFor({ state: 'detached' })
  })

  test('in production, below a path of a proxy, a wrong token is said, the right one signs in once, and no script can read it', async () => {
    await using stage = await setStage({
      environment: { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' },
    })
    await using proxy = await startPrefixProxy('/tools/postern', stage.origins.operator_url)
    await using context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${proxy.origin}/tools/postern/console/webhooks`)
    await heading(page, 'Sign in')
    await look(page, 'sign-in')
    await page.getByLabel('Operator token').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    assert.equal(await page.getByLabel('Operator token').evaluate((field) => field === field.ownerDocument.activeElement), true)
    await page.getByLabel('Operator token').fill(OPERATOR_TOKEN)
    await page.keyboard.press('Enter')
    await heading(page, 'Webhooks')
    await page.getByText('No app has a webhook yet').waitFor()
    await page.reload()
    await heading(page, 'Webhooks')
    const kept = await page.evaluate(() =>
      [document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage), location.href].join(' '),
    )
    assert.ok(!kept.includes('postern_operator') && !kept.includes(OPERATOR_TOKEN), kept)
    const [cookie] = await context.cookies(`${proxy.origin}/tools/postern/operator/apps`)
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.path], [true, 'Strict', '/tools/postern/operator'])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await heading(page, 'Sign in')
  })
})
