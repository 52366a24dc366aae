import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { type demoApp, OPERATOR_TOKEN, SECRET, setStage } from '../../stage/postern.ts'
import { openBrowser } from './browser.ts'
import { app, heading, look, setConsole, tabTo } from './console-stage.ts'

const READER = 'token-of-a-reader-0123456789-0123456789'

suite("the console's screens of development in a real browser", () => {
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  test('no screen, full or empty, has an axe finding, a sideways scroll or a message in the browser, light or dark', async () => {
    await using seen = await setConsole(browser)
    const { page, url, stage } = seen
    await page.goto(url('develop'))
    await page.getByRole('button', { name: 'Trigger dm.received' }).waitFor()
    await look(page, 'develop-trigger')
    await page.goto(url('develop/trigger?type=news.new'))
    await page.getByLabel('hook').waitFor()
    await look(page, 'develop-trigger-example')
    await page.goto(url('develop/inboxes'))
    await page.getByText('There is no inbox').waitFor()
    await look(page, 'develop-inboxes-empty')
    await page.goto(url('develop/keys'))
    await page.getByText('101-demo-access-token').waitFor()
    await look(page, 'develop-keys')
    await page.goto(url('develop/nowhere'))
    await heading(page, 'No such page')

    await seen.fill()
    await stage.operator('POST', '/operator/faults', { call: 'GET /2/users/me', status: 429 })
    await stage.operator('POST', '/operator/faults', { delivery: '*', delay: '2s', times: 3 })
    await stage.operator('POST', '/operator/disorders', { seed: 7, calls: 0.5 })
    await stage.operator('POST', '/operator/snapshots', {})
    await page.goto(url('develop/faults'))
    await page.getByRole('button', { name: 'What disorder 1 drew' }).click()
    await page.getByText('None was drawn yet').waitFor()
    await look(page, 'develop-faults')
    await page.goto(url('develop/state'))
    await page.getByRole('button', { name: 'Create world' }).click()
    await page.getByText('Bearer token').waitFor()
    await look(page, 'develop-state')
    assert.deepEqual(seen.complaints, [])
  })
  test('an event is triggered with the keyboard alone: found, filled in, sent, told to whom it went, and its way is opened', async () => {
    await using seen = await setConsole(browser)
    const { page, url, receiver } = seen
    await seen.fill()
    await page.goto(url('develop/trigger?type=post.create'))
    await page.getByRole('button', { name: 'Trigger post.create' }).waitFor()
    await tabTo(page, 'Search event types')
    await page.keyboard.type('received a direct')
    await page.getByText('1 of 42').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Trigger dm.received' }).waitFor()
    await tabTo(page, 'From')
    await page.keyboard.type('grace')
    await tabTo(page, 'To')
    await page.keyboard.type('ada')
    await tabTo(page, 'Text')
    await page.keyboard.type('Typed by hand')
    await tabTo(page, 'Trigger dm.received')
    await page.keyboard.press('Enter')
    const told = page.getByRole('region', { name: 'What happened' })
    await told.getByText('was performed by grace, to ada.').waitFor()
    await told.getByRole('row', { name: new RegExp(`${new URL(receiver.url).host}.*dm\\.received.*delivered 200`) }).waitFor()
    await look(page, 'develop-triggered')
    await tabTo(page, (await told.getByRole('link', { name: /^The way of the event/ }).textContent())!)
    await page.keyboard.press('Enter')
    await heading(page, /^Event \d+$/)
    await page.getByRole('button', { name: 'Text' }).press('Enter')
    await page.getByText('"Typed by hand"').waitFor()
    assert.deepEqual(seen.complaints, [])
  })

  test('an example has the members that were changed in the form, or written as JSON, and a refusal names its field', async () => {
    await using seen = await setConsole(browser)
    const { page, url, receiver } = seen
    await seen.fill()
    await page.goto(url('develop/trigger'))
    await page.getByText('Payload: change it').click()
    await page.getByLabel('text', { exact: true }).fill('Changed in the form')
    await page.getByRole('button', { name: 'Trigger dm.received' }).click()
    await page.getByText('With members of payload an example is published.').waitFor()
    const last = () =>
      receiver.events.at(-1) as { data: { payload: { direct_message_events: { message_create: { message_data: { text: string } } }[] } } }
    assert.equal(last().data.payload.direct_message_events[0]?.message_create.message_data.text, 'Changed in the form')

    await page.getByRole('button', { name: 'Write JSON' }).click()
    const written = page.getByLabel('Members of the payload, as JSON')
    await written.fill('{"text": ')
    await page.getByRole('button', { name: 'Trigger dm.received' }).click()
    await page.getByRole('alert').getByText('$.payload: must be JSON').waitFor()
    assert.equal(await written.getAttribute('aria-invalid'), 'true')
    await written.fill('{"nowhere": 1}')
    await page.getByRole('button', { name: 'Trigger dm.received' }).click()
    await page.getByRole('alert').getByText('$.payload.nowhere: the payload of dm.received has no member nowhere').waitFor()
    await written.fill('{"text": "Written as JSON"}')
    await page.getByLabel('To', { exact: true }).fill('nobody')
    await page.getByRole('button', { name: 'Trigger dm.received' }).click()
    await page.getByRole('alert').getByText('$.to:').waitFor()
    assert.equal(await page.evaluate(() => (document.activeElement as HTMLInputElement).name), 'to')
    await page.getByLabel('To', { exact: true }).fill('ada')
    await page.getByRole('button', { name: 'Trigger dm.received' }).click()
    await page.getByText('With members of payload an example is published.').waitFor()
    assert.equal(last().data.payload.direct_message_events[0]?.message_create.message_data.text, 'Written as JSON')

    await page.goto(url('develop/trigger?type=news.new'))
    await page.getByRole('button', { name: 'Trigger news.new' }).click()
    await page.getByText('No callback got it.').waitFor()
    assert.deepEqual(
      seen.complaints.filter((one) => !one.includes('400')),
      [],
    )
  })

  test('a clock that is moved brings what is due, and the header shows it until it is set back', async () => {
    await using seen = await setConsole(browser)
    const { page, url, stage } = seen
    const { retrying } = await seen.fill()
    await page.goto(url('develop/clock'))
    await page.getByText('It shows the real time.').waitFor()
    await page.getByRole('row', { name: /Retry dm\.received/ }).waitFor()
    await page.getByRole('button', { name: 'Advance 25 hours' }).click()
    await page.getByText('It is 1 day 1 hour ahead of the real time.').waitFor()
    await page
      .getByRole('row', { name: /Challenge .* passed/ })
      .first()
      .waitFor()
    await page.getByRole('row', { name: /Retry dm\.received .* delivered/ }).waitFor()
    await stage.deliveriesWhen('state=delivered', (found) => found.some(({ event_uuid }) => event_uuid === retrying))
    await look(page, 'develop-clock-moved')

    await page.goto(url())
    const header = page.getByRole('banner')
    await header.getByRole('link', { name: 'Clock moved' }).click()
    await heading(page, 'Clock')
    await page.getByRole('textbox', { name: 'Advance by' }).fill('soon')
    await page.getByRole('button', { name: 'Advance', exact: true }).click()
    await page.getByRole('alert').getByText('advance').waitFor()
    await page.getByRole('button', { name: 'Back to the real time' }).click()
    await page.getByText('It shows the real time.').waitFor()
    assert.equal(await header.getByRole('link', { name: 'Clock moved' }).count(), 0)
    assert.ok(Math.abs(stage.clock.offset()) < 1000)
  })

  test('the clock is moved from the header of any page, which says how much happened, and back', async () => {
    await using seen = await setConsole(browser)
    const { page, url, stage } = seen
    const { retrying } = await seen.fill()
    await page.goto(url('deliveries'))
    await page.locator('td time').first().waitFor()
    const header = page.getByRole('banner')
    await header.getByText('Move the clock').click()
    await header.getByRole('button', { name: 'Move the clock 25 hours ahead' }).click()
    await header.getByText(/^Moved: \d+ things happened meanwhile\.$/).waitFor()
    await header.getByRole('link', { name: 'Clock moved' }).waitFor()
    await stage.deliveriesWhen('state=delivered', (found) => found.some(({ event_uuid }) => event_uuid === retrying))
    await look(page, 'header-clock')
    assert.match((await page.locator('td time').last().textContent())!, /^\d{4}-/)
    await header.getByRole('button', { name: 'Move the clock back to the real time' }).click()
    await header.getByRole('link', { name: 'Clock', exact: true }).waitFor()
    assert.ok(Math.abs(stage.clock.offset()) < 1000)
    // What was accepted today is shown without its date again.
    await page.waitForFunction(() => {
      const times = [...document.querySelectorAll<HTMLTimeElement>('td time')]
      const isToday = ({ dateTime }: HTMLTimeElement) => dateTime.slice(0, 10) === new Date().toISOString().slice(0, 10)
      return times.length > 0 && times.every((time) => isToday(time) === /^\d\d:/.test(time.textContent!))
    })
    assert.deepEqual(seen.complaints, [])
  })

  test('a fault that is added makes the next call fail, is shown as spent, and is removed', async () => {
    await using seen = await setConsole(browser)
    const { page, url, stage } = seen
    const token = await stage.token(app as typeof demoApp)
    await page.goto(url('develop/faults'))
    await page.getByLabel('Call', { exact: true }).fill('GET /2/webhook')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByRole('alert').getByText('$.call:').waitFor()
    await page.getByLabel('Call', { exact: true }).fill('GET /2/webhooks')
    await page.getByLabel('Status', { exact: true }).fill('503')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByRole('row', { name: /GET \/2\/webhooks .* it answers 503 1 more/ }).waitFor()
    assert.equal((await stage.api('GET', '/2/webhooks', { token })).status, 503)
    assert.equal((await stage.api('GET', '/2/webhooks', { token })).status, 200)
    await page.getByRole('row', { name: /it answers 503 spent GET/ }).waitFor()
    await page.getByRole('button', { name: 'Delete fault 1' }).click()
    await page.getByText('No fault is set').waitFor()

    await page.getByLabel('Seed').fill('7')
    await page.getByLabel('Calls, in percent').fill('50')
    await page.getByRole('button', { name: 'Begin disorder' }).click()
    await page.getByRole('button', { name: 'What disorder 1 drew' }).click()
    await page.getByText('None was drawn yet.').waitFor()
    for (let calls = 0; calls < 12; calls++) await stage.api('GET', '/2/webhooks', { token }).catch(() => {})
    await page.getByRole('table', { name: 'The last faults that it drew' }).waitFor()
    await page.getByRole('button', { name: 'End disorder 1' }).click()
    await stage.until(async () => (await page.getByRole('button', { name: 'End disorder 1' }).count()) === 0)
  })

  test('an inbox that is made shows what it gets as it comes, with its body and whether its signature is right', async () => {
    await using seen = await setConsole(browser)
    const { page, url, stage } = seen
    await page.goto(url('develop/inboxes'))
    await page.getByLabel('Event types').fill('dm.received, nothing.such')
    await page.getByRole('button', { name: 'Create inbox' }).click()
    await page.getByRole('alert').getByText('$.events').waitFor()
    await page.getByLabel('Event types').fill('dm.received')
    await page.getByRole('button', { name: 'Create inbox' }).click()
    await heading(page, /^Inbox \w{22}$/)
    await page.getByText('Nothing came yet.').waitFor()
    await stage.operator('POST', '/operator/trigger', { event_type: 'dm.received', to: 'ada', from: 'grace', text: 'To the inbox' })
    await page.getByText('signature verified').waitFor()
    await page.getByRole('button', { name: 'Body of message 1' }).click()
    await page.getByRole('button', { name: 'Text' }).click()
    await page.getByText('"To the inbox"').waitFor()
    await look(page, 'develop-inbox')
    await page.getByRole('button', { name: 'Delete inbox' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete inbox' }).click()
    await page.getByText('There is no inbox').waitFor()
    assert.deepEqual(
      seen.complaints.filter((one) => !one.includes('400')),
      [],
    )
  })

  test('a snapshot brings back what was there, and a reset is done once it is confirmed', async () => {
    await using seen = await setConsole(browser)
    const { page, url, stage } = seen
    const apps = async () => (await stage.operator('GET', '/operator/apps')).body.meta.result_count
    await page.goto(url('develop/state'))
    await page.getByRole('button', { name: 'Take a snapshot' }).click()
    await page.getByText(/^Snapshot \d+ is taken\.$/).waitFor()
    await page.getByRole('button', { name: 'Create world' }).click()
    await page.getByText(/^World \d+ is created\.$/).waitFor()
    assert.equal(await apps(), 2)
    await page.getByRole('button', { name: /^Restore/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /^Restore/ }).click()
    await page.getByText('Everything is as it was then.').waitFor()
    assert.equal(await apps(), 1)

    await stage.operator('POST', '/operator/worlds', {})
    await page.getByRole('button', { name: 'Reset' }).click()
    await look(page, 'develop-reset')
    await page.keyboard.press('Escape')
    assert.equal(await apps(), 2)
    await page.getByRole('button', { name: 'Reset' }).click()
    await dialog.getByRole('button', { name: 'Reset' }).click()
    await page.getByText('The server is as after its seed.').waitFor()
    assert.equal(await apps(), 1)
    assert.deepEqual(seen.complaints, [])
  })

  test('GET / leads to the console, which begins with what to paste and the keys, each with a button that copies or selects it', async () => {
    await using seen = await setConsole(browser)
    const { page, stage, context } = seen
    await page.goto(`${stage.origins.base_url}/`)
    await heading(page, 'Feed')
    assert.equal(page.url(), `${stage.origins.base_url}/console/`)
    await page.getByText('npx postern listen').waitFor()
    const copy = page.getByRole('button', { name: 'Copy access token of ada' })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await copy.click()
    await page.getByText('Copied.').waitFor()
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '101-demo-access-token')
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    await copy.click()
    await page.getByText('Selected: copy it with the keyboard.').waitFor()
    assert.equal(await page.evaluate(() => getSelection()?.toString()), '101-demo-access-token')
    assert.deepEqual(seen.complaints, [])
  })

  test('at an operator port of its own, where no description is, a payload is written as JSON', async () => {
    await using seen = await setConsole(browser, { POSTERN_OPERATOR_PORT: '0' })
    const { page, stage } = seen
    await page.goto(`${stage.origins.base_url}/`)
    assert.equal(page.url(), `${stage.origins.operator_url}/console/`)
    await page.getByRole('link', { name: 'make an event here' }).click()
    await page.getByLabel('Members of the payload, as JSON').fill('{"text": "Without a form"}')
    await page.getByRole('button', { name: 'Trigger dm.received' }).click()
    await page.getByText('With members of payload an example is published.').waitFor()
    assert.deepEqual(
      seen.complaints.filter((one) => !one.includes('404')),
      [],
    )
  })

  test('whoever only reads sees all of it, and no button that acts', async () => {
    await using seen = await setConsole(browser, { POSTERN_OPERATOR_TOKENS: `reader:read:${READER}` })
    const { page, url } = seen
    await page.goto(url('develop/clock'))
    await page.getByText('It shows the real time.').waitFor()
    // Instead of the session that a browser of this machine gets.
    await page.evaluate(
      async ([token]) => {
        await fetch('../../operator/session', { method: 'POST', headers: { authorization: `Bearer ${token}`, 'x-postern-console': '1' } })
      },
      [READER],
    )
    for (const path of ['develop/clock', 'develop/faults', 'develop/state', 'develop/trigger', 'develop/inboxes']) {
      await page.goto(url(path))
      await page.getByText('Your operator token has the role read').waitFor()
      const acts = page.getByRole('button', { name: /^(Advance|Set|Add|Begin|Take|Create|Reset|Trigger)/ })
      await acts.first().waitFor()
      for (const button of await acts.all()) assert.equal(await button.isDisabled(), true, `${path}: ${await button.textContent()}`)
    }
  })

  test('production has none of these screens', async () => {
    await using stage = await setStage({
      environment: { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' },
    })
    await using context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${stage.origins.operator_url}/console/develop/trigger`)
    await page.getByLabel('Operator token').fill(OPERATOR_TOKEN)
    await page.keyboard.press('Enter')
    await heading(page, 'No such page')
    assert.equal(await page.getByRole('link', { name: 'Develop' }).count(), 0)
  })
})
