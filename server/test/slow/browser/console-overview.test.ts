import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { heading, look, setConsole } from './console-stage.ts'

const READ_TOKEN = 'a-token-that-only-reads-0123456789-0123456789'

const tile = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name }).locator('strong')

/** The numbers of the range that is shown. */
const sums = async (page: Page) => (await page.locator('dl.numbers > div').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))

/** Signs this browser in with a token, in the place of the session that it has. */
async function signInWith(page: Page, token: string) {
  const status = await page.evaluate(async (given) => {
    const answer = await fetch('../operator/session', {
      method: 'POST',
      headers: { 'x-postern-console': '1', authorization: `Bearer ${given}` },
    })
    return answer.status
  }, token)
  assert.equal(status, 200)
}

suite('overview and operate in a real browser', () => {
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  test('the numbers of the overview equal what was done, each with the list behind it, and it is without findings in both schemes', async () => {
    await using seen = await setConsole(browser)
    const { page, url, stage } = seen
    const libraries: string[] = []
    page.on('request', (request) => /uPlot/.test(request.url()) && libraries.push(request.url()))
    for (const path of ['', 'webhooks', 'operate/storage']) {
      await page.goto(url(path))
      await page.locator('h1').waitFor()
    }
    assert.deepEqual(libraries, [])
    await page.goto(url('overview'))
    await page.getByText('events accepted a second').waitFor()
    await page.locator('.uplot canvas').nth(2).waitFor()
    assert.equal(libraries.length, 1)
    await look(page, 'overview-empty')
    const { token } = await seen.fill()
    await stage.api('GET', '/2/webhooks/none', { token })
    await page.goto(url('overview'))
    await stage.until(async () => (await sums(page)).join() === 'Events accepted 2,Attempts delivered 1,Attempts failed 1,Not sent 0')
    assert.equal(await tile(page, 'not authorized (401)').innerText(), '1')
    assert.equal(await tile(page, 'invalid webhooks').innerText(), '0')
    assert.equal(await tile(page, 'retries due now').innerText(), '0')
    // The retry is due in an hour, to the millisecond.
    await stage.until(async () => (await tile(page, 'retries due in the next hour').innerText()) === '1')
    await page.getByText(/^Counted by process 0 since/).waitFor()
    assert.match(await tile(page, '(p50)').innerText(), /^\d+ ms$/)
    await stage.publish({ text: 'while it is open' })
    await stage.until(async () => (await sums(page))[0] === 'Events accepted 3')

    for (const name of ['Events and attempts', 'Duration of attempts that delivered', 'Refused calls'])
      await page.getByText(`${name} as a table`).click()
    await page.locator('.uplot canvas').nth(2).waitFor()
    const rows = page.getByRole('table', { name: /^Events and attempts/ }).locator('tbody tr')
    const counted = (await rows.locator('td').allInnerTexts()).map(Number)
    assert.equal(
      counted.filter((_, place) => place % 4 === 0).reduce((sum, value) => sum + value, 0),
      3,
    )
    await page.setViewportSize({ width: 1440, height: 900 })
    const colour = () =>
      page
        .locator('.uplot canvas')
        .first()
        .evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL())
    await page.emulateMedia({ colorScheme: 'light' })
    const inLight = await colour()
    await page.emulateMedia({ colorScheme: 'dark' })
    await stage.until(async () => (await colour()) !== inLight)
    await look(page, 'overview')

    await page.getByRole('link', { name: 'retries due in the next hour' }).click()
    await heading(page, 'Deliveries')
    const listed = page.getByRole('table').locator('tbody tr')
    await stage.until(async () => (await listed.count()) === 1)
    assert.match(await listed.innerText(), /retrying/)
    await look(page, 'deliveries')
    await page.getByLabel('Next attempt from').fill('')
    await page.getByLabel('Next attempt before').fill('')
    await page.getByLabel('State').selectOption('')
    await stage.until(async () => (await listed.count()) === 3)
    await page.goBack()
    await page.getByRole('link', { name: 'retries due now' }).click()
    await page.getByText('No delivery matches.').waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'invalid webhooks' }).click()
    await heading(page, 'Webhooks')
    await page.getByText('No webhook matches.').waitFor()
    await page.getByLabel('State').selectOption('valid')
    await page.getByRole('link', { name: seen.receiver.url, exact: true }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'not authorized (401)' }).click()
    await heading(page, 'Feed')
    assert.equal(new URL(page.url()).search, '?kind=call&outcome=refused&status=4xx')
    await page.getByRole('link', { name: 'GET /2/users/me' }).waitFor()
    assert.deepEqual(seen.complaints, [])
  })

  test('a stretch of time is chosen with the keyboard or the pointer: address, numbers and table follow, also where the clock was moved', async () => {
    await using seen = await setConsole(browser)
    const { page, url, stage } = seen
    await seen.fill()
    await stage.operator('POST', '/operator/clock', { advance: '30m' })
    const [uuid] = await stage.publish({ text: 'half an hour later' })
    const { accepted_at } = (await stage.operator('GET', `/operator/events/${uuid}`)).body.data
    await page.goto(url('overview'))
    await stage.until(async () => (await sums(page))[0] === 'Events accepted 3')

    const at = (minutes: number) => new Date(Date.parse(accepted_at) + minutes * 60_000).toISOString().slice(0, 19)
    await page.getByLabel('From (UTC)').fill(at(-5))
    await page.getByLabel('Before (UTC)').fill(at(-6))
    await page.getByLabel('Before (UTC)').press('Enter')
    await page.getByText('The range must begin before it ends.').waitFor()
    await page.getByLabel('Before (UTC)').fill(at(5))
    await page.getByLabel('Before (UTC)').press('Enter')
    await stage.until(async () => (await sums(page))[0] === 'Events accepted 1')
    assert.equal(new URL(page.url()).search, `?${new URLSearchParams({ from: `${at(-5)}Z`, to: `${at(5)}Z` })}`)
    await page.getByText('Events and attempts as a table').press('Enter')
    const rows = page.getByRole('table', { name: /^Events and attempts/ }).locator('tbody tr')
    await stage.until(async () => (await rows.count()) === 1)
    await look(page, 'overview-range')
    await page.reload()
    await stage.until(async () => (await sums(page))[0] === 'Events accepted 1')
    await page.getByRole('button', { name: 'The last hour' }).click()
    await stage.until(async () => (await sums(page))[0] === 'Events accepted 3')
    assert.equal(new URL(page.url()).search, '')

    await page.locator('.u-over').first().scrollIntoViewIfNeeded()
    const plot = (await page.locator('.u-over').first().boundingBox())!
    await page.mouse.move(plot.x + plot.width / 4, plot.y + 20)
    await page.mouse.down()
    await page.mouse.move(plot.x + plot.width / 2, plot.y + 40, { steps: 3 })
    await page.mouse.up()
    await page.getByRole('heading', { name: 'A part of the last hour' }).waitFor()
    const { searchParams } = new URL(page.url())
    const minutes = (Date.parse(searchParams.get('to')!) - Date.parse(searchParams.get('from')!)) / 60_000
    assert.ok(minutes > 13 && minutes < 17, `${minutes} minutes`)
    await page.goto(url('overview?from=2020-01-01T00:00:00Z&to=2020-01-01T01:00:00Z'))
    await page.getByText('Nothing is kept of this time').waitFor()
    assert.deepEqual(seen.complaints, [])
  })

  test('the pages of Operate show what there is, without findings, and say how many tokens and sessions they ended', async () => {
    await using seen = await setConsole(browser)
    const { page, url, stage } = seen
    await page.goto(url('operate'))
    await page.getByText('No operator call has changed anything yet').waitFor()
    await look(page, 'operate-audit-empty')
    const { webhookId, token } = await seen.fill()
    const minute = (ms: number) => new Date(ms).toISOString().replaceAll(/\D/g, '').slice(0, 12)
    const nowMs = stage.clock.now()
    const dates = { from_date: minute(nowMs - 600_000), to_date: minute(nowMs) }
    assert.equal((await stage.operator('POST', '/operator/replays', { webhook_id: webhookId, ...dates })).status, 200)
    await page.goto(url('operate/audit'))
    await page.getByRole('rowheader', { name: 'createReplay' }).waitFor()
    await look(page, 'operate-audit')

    const headers = { authorization: `Basic ${btoa('no such key:wrong')}`, 'content-type': 'application/x-www-form-urlencoded' }
    await stage.api('POST', '/oauth2/token', { headers, body: 'grant_type=client_credentials' })
    await page.getByRole('link', { name: 'Wrong credentials' }).click()
    await page.getByRole('rowheader', { name: 'API key or secret' }).waitFor()
    await look(page, 'operate-failures')
    await page.getByRole('link', { name: 'Replays' }).click()
    await page.getByText('100 %').waitFor()
    await look(page, 'operate-replays')
    await page.getByRole('link', { name: 'Resends' }).click()
    await page.getByText('Nothing was resent by a job.').waitFor()
    const times = { from: new Date(nowMs - 600_000).toISOString(), to: new Date(nowMs).toISOString() }
    assert.equal((await stage.operator('POST', '/operator/resends', times)).status, 200)
    await page.getByRole('row', { name: 'complete' }).waitFor()
    const job = {
      job_id: '7',
      state: 'running',
      resent: 12_000,
      refused: 3,
      app_id: null,
      event_type: 'dm.received',
      states: ['given_up', 'not_sent'],
    }
    let state = 'running'
    await page.route('**/operator/resends?**', (route) =>
      route.fulfill({ json: { data: [{ ...job, ...times, state, created_at: times.to, finished_at: null }], meta: { result_count: 1 } } }),
    )
    await page.route('**/operator/resends/7', (route) => {
      state = route.request().method() === 'DELETE' ? 'cancelled' : state
      return route.fulfill({ json: { data: { ...job, state } } })
    })
    await page.getByText('12,000').waitFor()
    await page.getByText('given up or not sent, of dm.received, to every app').waitFor()
    await look(page, 'operate-resends')
    await page.getByRole('button', { name: 'Cancel the job 7' }).click()
    await page.getByRole('row', { name: 'cancelled' }).waitFor()
    await page.unrouteAll()
    await page.getByRole('link', { name: 'Processes' }).click()
    await page.getByText('alive').waitFor()
    await page.getByRole('columnheader', { name: 'Event loop delay' }).waitFor()
    await look(page, 'operate-processes')
    await page.getByRole('link', { name: 'Storage' }).click()
    await page.getByText(/ free of /).waitFor()
    await look(page, 'operate-storage')

    await page.getByRole('link', { name: 'Revoke' }).click()
    await heading(page, 'Revoke tokens and end sessions')
    await look(page, 'operate-revoke')
    await page.getByLabel('Show what this user has granted').fill('101')
    await page.getByLabel('Show what this user has granted').press('Enter')
    const granted = page.getByRole('table', { name: /^What user .* has granted apps$/ })
    await granted
      .getByText(/^OAuth 1.0a, read_write_dm, since/)
      .first()
      .waitFor()
    assert.equal(new URL(page.url()).search, '?user=101')
    await look(page, 'operate-consents')
    await page.getByLabel('Token', { exact: true }).fill(token)
    await page.getByLabel('Token', { exact: true }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Revoke this token?' })
    await dialog.waitFor()
    await look(page, 'operate-revoke-dialog')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.equal((await stage.api('GET', '/2/webhooks', { token })).status, 200)
    await page.getByLabel('Token', { exact: true }).press('Enter')
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByText('1 token was revoked.').waitFor()
    assert.equal((await stage.api('GET', '/2/webhooks', { token })).status, 401)
    const acts = granted.getByRole('button', { name: /^Revoke what/ })
    const apps = await acts.count()
    await acts.first().click()
    await page.getByRole('dialog', { name: 'Revoke these tokens?' }).getByRole('button', { name: 'Revoke', exact: true }).click()
    await stage.until(async () => (await acts.count()) === apps - 1)
    const sessions = page.getByRole('form', { name: 'Sessions' })
    await sessions.getByLabel('User id').fill('101')
    await sessions.getByRole('button', { name: 'End sessions…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End sessions', exact: true }).click()
    await page.getByText('The user had no session: nothing was ended.').waitFor()
    assert.ok(!page.url().includes(token))
    assert.deepEqual(seen.complaints, [])
  })

  test('an operator who only reads sees everything, and acts disabled', async () => {
    await using seen = await setConsole(browser, { POSTERN_OPERATOR_TOKENS: `ann:read:${READ_TOKEN}` })
    const { page, url } = seen
    await page.goto(url())
    await heading(page, 'Feed')
    await signInWith(page, READ_TOKEN)
    await page.goto(url('overview'))
    await page.getByText('events accepted a second').waitFor()
    await page.goto(url('operate/revoke'))
    await page.getByText('Your operator token only reads.').waitFor()
    for (const name of ['Revoke…', 'End sessions…'])
      for (const button of await page.getByRole('button', { name }).all()) assert.equal(await button.isDisabled(), true)
    await look(page, 'operate-revoke-read')
    for (const step of ['audit', 'failures', 'replays', 'processes', 'storage']) {
      await page.goto(url(`operate/${step}`))
      await page.locator('table, .empty').first().waitFor()
    }
    assert.deepEqual(seen.complaints, [])
  })
})
