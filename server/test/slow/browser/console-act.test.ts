import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { call } from '../../stage/call.ts'
import { OPERATOR_TOKEN, SECRET, setStage } from '../../stage/postern.ts'
import { answerWith, startReceiver } from '../../stage/receiver.ts'
import { openBrowser } from './browser.ts'
import { app, heading, look, setConsole } from './console-stage.ts'

const READ = 'a-token-that-only-reads-of-the-tests-012345'

/** Retries end at once, so that deliveries are given up. */
const GIVE_UP = { POSTERN_RETRY_PLAN: '10ms' }

const EVERYTHING_KEPT = () => [document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage), location.href].join(' ')

/** A console with three deliveries that were given up, whose callback answers again. */
async function setFailed(browser: Browser) {
  const seen = await setConsole(browser, GIVE_UP)
  const { stage, receiver } = seen
  const token = await stage.token(app as Parameters<typeof stage.token>[0])
  const webhookId = await stage.register(receiver.url, token)
  await stage.subscribe(webhookId, token)
  receiver.answerPosts(500)
  const events = await stage.publish({ text: 'one 100%' }, { text: 'two' }, { text: 'three' })
  await stage.deliveriesWhen('state=given_up', (found) => found.length === 3)
  receiver.intercept = undefined
  return Object.assign(seen, { token, webhookId, events })
}

/** What the browser says of an answer of 400. */
const REFUSED = 'Failed to load resource: the server responded with a status of 400 (Bad Request)'

const dialog = (page: Page) => page.getByRole('dialog')

suite('acting from the console in a real browser', () => {
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  test('no screen to act from has an axe finding, a sideways scroll or a message in the browser, light or dark', async () => {
    await using seen = await setFailed(browser)
    const { page, url, webhookId, events } = seen
    await page.goto(url('?kind=delivery&attempts=1&from=2020-01-01T00:00:00Z'))
    await page.getByText('Filter', { exact: true }).click()
    await page.getByRole('checkbox').first().check()
    await look(page, 'act-feed')
    await page.goto(url())
    await page.getByRole('button', { name: 'Resend all that match' }).click()
    await dialog(page).getByText('3 deliveries would be sent again.').waitFor()
    await look(page, 'act-resend')
    await page.goto(url('search?text=100%25'))
    await page.getByText('1 found.').waitFor()
    await look(page, 'act-search')
    await page.goto(url(`compare/${events[0]}/${events[1]}`))
    await page.getByText('Lines of the first alone').waitFor()
    await look(page, 'act-compare')
    await page.goto(url(`webhooks/${webhookId}`))
    await page.getByRole('button', { name: 'Count' }).click()
    await page.getByText('3 events would be sent').waitFor()
    await look(page, 'act-webhook')
    await page.goto(url('apps/new'))
    await heading(page, 'Create an app')
    await look(page, 'act-new-app')
    await page.getByLabel('Name').fill('Acme')
    await page.getByRole('button', { name: 'Create' }).click()
    await dialog(page).getByText('Consumer secret').waitFor()
    await look(page, 'act-secrets')
    await page.keyboard.press('Escape')
    await heading(page, 'App Acme')
    await look(page, 'act-app')
    await page.goto(url('?kind=call'))
    await page.getByRole('link', { name: 'POST /2/webhooks' }).first().click()
    for (const way of ['As curl', 'As a command of Postern', 'As a test in TypeScript']) await page.getByText(way).click()
    await look(page, 'act-call')
    assert.deepEqual(seen.complaints, [])
  })

  test('selected deliveries are resent, then all that match, once they are counted; an invalid webhook is said', async () => {
    await using seen = await setFailed(browser)
    const { page, url, stage, token } = seen
    await using broken = await startReceiver([app.consumer_secret!])
    const brokenId = await stage.register(broken.url, token)
    await stage.subscribe(brokenId, token)
    broken.answerPosts(500)
    await stage.publish({ text: 'four' })
    await stage.deliveriesWhen('state=given_up', (found) => found.length === 4)
    broken.intercept = (_request, response) => answerWith(response, 500)
    assert.equal((await stage.api('PUT', `/2/webhooks/${brokenId}`, { token })).status, 400)

    await page.goto(url('?kind=delivery&outcome=given_up'))
    await stage.until(async () => (await page.getByRole('checkbox').count()) === 4)
    const boxes = page.getByRole('checkbox')
    await boxes.nth(0).check()
    await boxes.nth(1).focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Resend selected (2)' }).click()
    await page.getByText('1 delivery sent again, 1 not').waitFor()
    await page.getByText('is invalid and receives nothing').waitFor()
    await stage.deliveriesWhen('state=given_up', (found) => found.length === 3)

    await page.goto(url('?outcome=retrying'))
    await page.getByRole('button', { name: 'Resend all that match' }).click()
    await dialog(page).getByText('has not ended').waitFor()
    await page.goto(url('?user=101'))
    await page.getByRole('button', { name: 'Resend all that match' }).click()
    await dialog(page).getByText('cannot be resent by the user').waitFor()
    await page.goto(url(`?type=dm.received&app=${app.id}`))
    const button = page.getByRole('button', { name: 'Resend all that match' })
    await button.click()
    await dialog(page).getByText('2 deliveries would be sent again.').waitFor()
    await dialog(page).getByText('is invalid and receives nothing').waitFor()
    assert.equal((await stage.deliveriesWhen('state=given_up', () => true)).length, 3, 'counting sends nothing')
    await dialog(page).getByRole('button', { name: 'Resend 2' }).click()
    await dialog(page).getByText('2 deliveries sent again.').waitFor()
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    assert.equal(await button.evaluate((one) => one === one.ownerDocument.activeElement), true)
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 4)
    assert.deepEqual(seen.complaints, [REFUSED])
  })

  test('a resend of all that match is a job, which says how far it is, goes on when its dialog is closed, and can be cancelled', async () => {
    await using seen = await setConsole(browser)
    const { page, url } = seen
    const asked: unknown[] = []
    let resent = 0
    const job = (state: string) => ({ json: { data: { job_id: '7', state, resent, refused: 0 } } })
    await page.route('**/operator/deliveries/resend', (route) =>
      route.fulfill({ json: { data: { resent: 0, would_resend: 3000, webhooks: [] }, meta: {} } }),
    )
    await page.route('**/operator/resends', (route) => {
      const { from, to, ...more } = route.request().postDataJSON()
      assert.ok(from < to)
      asked.push(more)
      return route.fulfill(job('running'))
    })
    await page.route('**/operator/resends/7', (route) => {
      const isCancel = route.request().method() === 'DELETE'
      if (isCancel) asked.push('cancel')
      else resent = 1000
      return route.fulfill(job(isCancel ? 'cancelled' : 'running'))
    })
    const begin = async () => {
      await page.getByRole('button', { name: 'Resend all that match' }).click()
      await dialog(page).getByRole('button', { name: 'Resend 3,000' }).click()
      await dialog(page).getByText('1,000 of 3,000 sent again.').waitFor()
    }
    await page.goto(url('?outcome=not_sent'))
    await begin()
    await dialog(page).getByText('The server goes on when you close this.').waitFor()
    await look(page, 'act-resend-job')
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    assert.equal(await page.locator('dialog').count(), 0)
    assert.deepEqual(asked, [{ state: 'not_sent' }])
    await begin()
    await dialog(page).getByRole('button', { name: 'Cancel the job' }).click()
    await dialog(page).getByText('Stopped. 1,000 deliveries sent again.').waitFor()
    assert.deepEqual(asked, [{ state: 'not_sent' }, { state: 'not_sent' }, 'cancel'])
    assert.deepEqual(seen.complaints, [])
  })

  test('the feed is narrowed by user, endpoint, attempts and time, and its address keeps that', async () => {
    await using seen = await setFailed(browser)
    const { page, url, stage } = seen
    const rows = page.locator('tbody tr')
    const count = async (query: string, expected: number) => {
      await page.goto(url(query))
      await stage.until(async () => (await rows.count()) === expected)
    }
    await count('?kind=delivery&user=101', 3)
    await count('?kind=delivery&user=102', 0)
    await count('?kind=delivery&attempts=2', 3)
    await count('?kind=delivery&attempts=3', 0)
    await count('?endpoint=createWebhook', 1)
    await count('?kind=event&to=2020-01-01T00:00:00Z', 0)
    await page.goto(url('?kind=event'))
    await page.getByText('Filter', { exact: true }).click()
    await page.getByRole('button', { name: 'Last hour' }).click()
    assert.match(new URL(page.url()).search, /from=\d{4}-/)
    await page.getByLabel('User id').fill('101')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove the filter user: 101' }).waitFor()
    assert.deepEqual(seen.complaints, [])
  })

  test('a text in payloads is found as it is, and the page says how far it looked', async () => {
    await using seen = await setFailed(browser)
    const { page, url, events, stage } = seen
    await page.goto(url())
    await page.getByRole('link', { name: 'Search in payloads' }).click()
    await heading(page, 'Search in payloads')
    await page.getByLabel('Text, as it is').fill('100%')
    await page.keyboard.press('Enter')
    await page.getByText('1 found. Looked back to').waitFor()
    await page.getByText('one 100%').waitFor()
    await page.getByLabel('Text, as it is').fill('.*<img src=x onerror=alert(1)>')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByText('0 found. Looked back to').waitFor()
    await stage.publish(...Array.from({ length: 60 }, (_, n) => ({ text: `needle ${n}` })))
    await page.getByLabel('Text, as it is').fill('needle')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByText('50 found. Looked back to').waitFor()
    await page.getByRole('button', { name: 'Look further back' }).click()
    await page.getByText('60 found. Looked back to').waitFor()
    assert.match(page.url(), /text=needle/)
    await page.goto(url('search?text=two'))
    await page.getByRole('link', { name: 'dm.received' }).click()
    await heading(page, `Event ${events[1]}`)
    assert.deepEqual(seen.complaints, [])
  })

  test('a call is copied without its secrets, and two attempts and two events are compared line by line', async () => {
    await using seen = await setFailed(browser)
    const { page, url, events, token } = seen
    await page.goto(url('?kind=call'))
    await page.getByRole('link', { name: 'POST /2/webhooks' }).first().click()
    await page.getByText('As curl').click()
    const curl = await page.getByLabel('call for curl', { exact: true }).textContent()
    assert.match(curl!, /-H "authorization: Bearer \$TOKEN"/)
    assert.ok(!curl!.includes(token))
    await page.goto(url(`events/${events[0]}`))
    await page.getByRole('link', { name: 'Compare with the one before: attempt 2' }).click()
    await heading(page, 'Compare attempts')
    await page.locator('del', { hasText: '− attempt: 1' }).waitFor()
    await page.locator('ins', { hasText: '+ attempt: 2' }).waitFor()
    await page.goto(url(`events/${events[0]}`))
    await page.getByLabel('Compare with event').fill(events[1]!)
    await page.keyboard.press('Enter')
    await heading(page, 'Compare events')
    await page.locator('del', { hasText: 'one 100%' }).waitFor()
    await page.locator('ins', { hasText: 'two' }).waitFor()
    assert.deepEqual(seen.complaints, [])
  })

  test('a webhook is challenged, gets an example, and a replay that is counted first', async () => {
    await using seen = await setFailed(browser)
    const { page, url, stage, receiver, webhookId } = seen
    await page.goto(url('webhooks'))
    await page.getByRole('link', { name: receiver.url, exact: true }).click()
    await heading(page, `Webhook ${webhookId}`)
    await page.getByText(`npx postern doctor ${receiver.url}`).waitFor()
    receiver.intercept = (_request, response) => answerWith(response, 503)
    await page.getByRole('button', { name: 'Try a challenge' }).click()
    await page.getByText(/It failed: .*503/).waitFor()
    const steps = page.getByRole('table', { name: 'The steps of this challenge' }).getByRole('row')
    const told = () => steps.evaluateAll((rows) => rows.slice(1).map((row) => row.textContent!.replace(/\d+ ms.*/, '')))
    assert.deepEqual(await told(), [
      'Resolve the name● passed',
      'Check the address● passed',
      'Connect● passed',
      'Send the request● passed',
      'Status▲ failed',
    ])
    await look(page, 'challenge-failed')
    await page.getByText('Nothing is sent to an invalid webhook.').waitFor()
    receiver.intercept = undefined
    await page.getByRole('button', { name: 'Try a challenge' }).click()
    await page.getByText('It passed: the webhook is valid.').waitFor()
    assert.deepEqual((await told()).slice(-3), ['Status● passed', 'Body● passed', 'Compare the signature● passed'])
    await page.getByText(/^response_token is right: sha256= and the base64 of HMAC-SHA256/).waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('It is delivered, answered 200.').waitFor()
    const { posts } = receiver
    await page.getByRole('button', { name: 'Count' }).click()
    await page.getByText('4 events would be sent').waitFor()
    assert.equal(receiver.posts, posts)
    await page.getByRole('button', { name: 'Replay 4' }).click()
    await page.getByText('It is complete: 4 of 4 delivered, 0 failed.').waitFor()
    // Another range is counted beside the job, which keeps its own number.
    const from = page.getByLabel('From (UTC)', { exact: true })
    await from.fill(new Date(Date.parse(`${await from.inputValue()}Z`) - 3_600_000).toISOString().slice(0, 16))
    await page.getByRole('button', { name: 'Replay 4' }).waitFor({ state: 'detached' })
    await page.getByText('It is complete: 4 of 4 delivered, 0 failed.').waitFor()
    await page.getByRole('button', { name: 'Count' }).click()
    await page.getByText('0 failed. 4 events would be sent').waitFor()
    receiver.hold('POST')
    await page.getByRole('button', { name: 'Replay 4' }).click()
    await receiver.holding(1)
    await page.getByRole('button', { name: 'Cancel the replay' }).click()
    await page.getByText('It is cancelled').waitFor()
    receiver.letGo()
    await stage.until(async () => (await stage.operator('GET', '/operator/replays')).body.data[0].state === 'cancelled')
    await look(page, 'challenge-passed')
    assert.deepEqual(seen.complaints, [])
  })

  test('the range of a replay begins an hour before the time of the server, where the browser has another', async () => {
    await using seen = await setFailed(browser)
    const { page, url, stage, webhookId } = seen
    await page.clock.setFixedTime(stage.clock.now() - 86_400_000)
    const from = page.getByLabel('From (UTC)', { exact: true })
    // The form is there before the feed says the time.
    await page.route('**/operator/feed', async (route) => {
      await from.waitFor()
      await route.continue()
    })
    await page.goto(url(`webhooks/${webhookId}`))
    const isNear = (text: string) => Math.abs(Date.parse(`${text}Z`) + 3_600_000 - stage.clock.now()) < 120_000
    await stage.until(async () => isNear(await from.inputValue()))
    await page.getByRole('button', { name: 'Count' }).click()
    await page.getByText('3 events would be sent').waitFor()
    assert.deepEqual(seen.complaints, [])
  })

  test('secrets of an app are shown once, in a dialog, and are nowhere once it is closed', async () => {
    await using seen = await setConsole(browser)
    const { page, url, stage } = seen
    await page.goto(url('apps'))
    await page.getByRole('link', { name: 'Create an app' }).click()
    await page.getByLabel('Name').fill('Acme')
    await page.getByRole('button', { name: 'Create' }).click()
    const shown = () => dialog(page).locator('dd code').nth(1).textContent()
    const secret = (await shown())!
    assert.ok(secret.length >= 20, secret)
    const isNowhere = async (one: string) => {
      const kept = `${await page.evaluate(EVERYTHING_KEPT)} ${await page.content()}`
      const at = kept.indexOf(one)
      assert.equal(at, -1, kept.slice(Math.max(0, at - 200), at + 200))
    }
    await page.keyboard.press('Escape')
    await heading(page, 'App Acme')
    await isNowhere(secret)
    const id = new URL(page.url()).pathname.split('/').at(-1)!
    await page.getByLabel('The current secret stays valid').selectOption('1h')
    await page.getByRole('button', { name: 'Rotate the consumer secret' }).click()
    const rotated = (await shown())!
    assert.notEqual(rotated, secret)
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    assert.equal(await page.locator('dialog').count(), 0)
    await page.getByText('Former secret').waitFor()
    await isNowhere(rotated)
    await page.goBack()
    await page.goForward()
    await isNowhere(rotated)

    await page.getByRole('button', { name: 'Suspend the app' }).click()
    await page.getByText('its calls are refused').waitFor()
    await page.getByRole('button', { name: 'Resume the app' }).click()
    await page.getByText('It is active again.').waitFor()
    await page.getByLabel('Webhooks, at most').fill('7')
    await page.getByRole('button', { name: 'Save' }).click()
    const named = async () => (await stage.operator('GET', '/operator/apps')).body.data.find((one: { id: string }) => one.id === id)
    await stage.until(async () => (await named()).webhook_limit === 7)
    assert.equal((await named()).suspended, false)
    assert.deepEqual(seen.complaints, [])
  })

  test('the load by app leads to the page of an app, which takes quotas, says how much is used, and what one keeps back', async () => {
    await using seen = await setFailed(browser)
    const { page, url, stage, webhookId, token } = seen
    await page.goto(url('apps'))
    await page.getByRole('link', { name: 'Load by app' }).click()
    await heading(page, 'Load by app')
    const cells = async (row: string) => page.getByRole('row', { name: row }).getByRole('cell').allInnerTexts()
    await stage.until(async () => (await page.getByRole('link', { name: app.name, exact: true }).count()) === 1)
    assert.deepEqual((await cells(app.name!)).slice(2, 6), ['3', '3', '6', '6'])
    await look(page, 'load')
    await page.getByLabel('Heaviest by').selectOption('Deliveries that wait')
    await page.getByText('No app has any of this.').waitFor()
    await page.getByLabel('Heaviest by').selectOption('Failed attempts')
    await page.getByLabel('In', { exact: true }).selectOption('the last 24 hours')
    assert.equal(new URL(page.url()).search, '?by=failed_attempts&over=day')
    await page.getByRole('columnheader', { name: 'Failed' }).and(page.locator('[aria-sort=descending]')).waitFor()
    await page.getByRole('link', { name: app.name, exact: true }).click()
    await heading(page, `App ${app.name}`)
    await page.getByRole('row', { name: 'Failed attempts' }).waitFor()
    assert.deepEqual(await cells('Failed attempts'), ['6', '6'])
    const said = (name: string) => page.locator('dl.facts > div', { has: page.getByText(name, { exact: true }) }).locator('dd')
    assert.equal(await said('Events').innerText(), 'no limit')
    await page.getByLabel('Events a month, at most').fill('3')
    await page.getByLabel('Deliveries a month, at most').fill('12')
    await page.getByLabel('Rows, at most').fill('1')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('New webhooks and subscriptions are refused.', { exact: false }).first().waitFor()
    await stage.until(async () => (await said('Events').innerText()).startsWith('0 of 3 this month'))
    const other = await stage.api('POST', '/2/webhooks', { token, json: { url: `${seen.receiver.url}?second` } })
    assert.equal(other.status, 429)
    const events = await stage.publish(...[1, 2, 3, 4].map((n) => ({ n })))
    await stage.deliveriesWhen('state=not_sent', (found) => found.length === 1)
    await page.reload()
    await stage.until(async () => (await said('Events').innerText()).startsWith('3 of 3 this month ▲ used up'))
    assert.equal((await said('Deliveries').innerText()).trim(), '3 of 12 this month')
    await look(page, 'app-quotas')
    await page.goto(url(`events/${events[3]}/${webhookId}`))
    await page.getByText('Not sent: the app had used up a quota at').waitFor()
    await page.getByRole('link', { name: app.name, exact: true }).first().click()
    await page.getByLabel('Events a month, at most').fill('-1')
    await page.getByRole('button', { name: 'Save' }).click()
    assert.equal(await page.getByLabel('Events a month, at most').evaluate((field: HTMLInputElement) => field.validity.valid), false)
    assert.deepEqual(seen.complaints, [])
  })

  test('a token that only reads sees no act, and each act is refused, as it is without the header of the console', async () => {
    await using stage = await setStage({
      environment: {
        POSTERN_PROFILE: 'production',
        POSTERN_SECRET: SECRET,
        POSTERN_OPERATOR_PORT: '0',
        POSTERN_OPERATOR_TOKENS: `looking:read:${READ}`,
      },
    })
    const { operator_url: origin } = stage.origins
    await using context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${origin}/console/apps`)
    await page.getByLabel('Operator token').fill(READ)
    await page.keyboard.press('Enter')
    await heading(page, 'Apps')
    assert.equal(await page.getByRole('link', { name: 'Create an app' }).count(), 0)
    await page.goto(`${origin}/console/`)
    await heading(page, 'Feed')
    assert.equal(await page.getByRole('button', { name: /^Resend/ }).count(), 0)
    await page.goto(`${origin}/console/apps/new`)
    await heading(page, 'No such page')

    const begun = await call(`${origin}/operator/session`, 'POST', { json: {}, token: OPERATOR_TOKEN })
    const cookie = begun.headers.get('set-cookie')!.split(';', 1)[0]!
    const acts = [
      ['POST', 'deliveries/resend'],
      ['POST', 'replays'],
      ['DELETE', 'replays/1'],
      ['POST', 'webhooks/1/challenge'],
      ['POST', 'apps'],
      ['PATCH', 'apps/1'],
    ] as const
    for (const [method, path] of acts) {
      const reading = await call(`${origin}/operator/${path}`, method, { token: READ, json: {} })
      assert.equal(reading.status, 403, `${method} ${path} with the role read`)
      const forged = await call(`${origin}/operator/${path}`, method, { json: {}, headers: { cookie, 'sec-fetch-site': 'same-origin' } })
      assert.equal(forged.status, 403, `${method} ${path} without the header of the console`)
    }
  })
})
