// What holds on every screen: the keyboard, its address, who only reads, and the policy of the page below a path of a proxy.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { OPERATOR_TOKEN } from '../../stage/postern.ts'
import { openBrowser } from './browser.ts'
import { app, heading, setConsole, startPrefixProxy, tabTo } from './console-stage.ts'

const READER = 'token-of-a-reader-0123456789-0123456789'

/** A server that has something for every screen. */
async function setEverything(browser: Browser) {
  const seen = await setConsole(browser, { POSTERN_OPERATOR_TOKENS: `reader:read:${READER}` })
  const { stage } = seen
  const { delivered, retrying, webhookId } = await seen.fill()
  const minute = (ms: number) => new Date(ms).toISOString().replaceAll(/\D/g, '').slice(0, 12)
  const nowMs = stage.clock.now()
  const dates = { from_date: minute(nowMs - 600_000), to_date: minute(nowMs) }
  assert.equal((await stage.operator('POST', '/operator/replays', { webhook_id: webhookId, ...dates })).status, 200)
  const basic = { authorization: `Basic ${btoa('no such key:wrong')}`, 'content-type': 'application/x-www-form-urlencoded' }
  await stage.api('POST', '/oauth2/token', { headers: basic, body: 'grant_type=client_credentials' })
  await stage.operator('POST', '/operator/faults', { call: 'GET /2/users/nobody', status: 429 })
  await stage.operator('POST', '/operator/disorders', { seed: 7, calls: 0.001 })
  await stage.operator('POST', '/operator/snapshots', {})
  const inbox: string = (await stage.operator('POST', '/operator/inboxes', { events: ['follow.follow'] })).body.data.id
  const { data: calls } = (await stage.operator('GET', '/operator/requests?last=50')).body
  const iso = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
  const times = { from: iso(nowMs - 1_800_000), to: iso(nowMs + 1_800_000) }
  return Object.assign(seen, { delivered, retrying, webhookId, inbox, times, call: String(calls[0].sequence) })
}

type Everything = Awaited<ReturnType<typeof setEverything>>

/** One act of each kind that the console has. */
const ACTS: readonly (readonly [method: string, path: string])[] = [
  ['POST', 'deliveries/resend'],
  ['POST', 'resends'],
  ['DELETE', 'resends/1'],
  ['POST', 'replays'],
  ['DELETE', 'replays/1'],
  ['POST', 'webhooks/1/challenge'],
  ['POST', 'apps'],
  ['PATCH', 'apps/1'],
  ['POST', 'apps/1/portal'],
  ['POST', 'tokens/revoke'],
  ['DELETE', 'sessions'],
  ['POST', 'trigger'],
  ['POST', 'clock'],
  ['POST', 'faults'],
  ['POST', 'inboxes'],
  ['POST', 'snapshots'],
  ['POST', 'worlds'],
  ['POST', 'reset'],
]

interface Screen {
  name: string
  /** Its address below the console, with all filters that it knows. */
  path(seen: Everything): string
  title: string | RegExp
  /** A button that opens a dialog. */
  asks?: string | RegExp
  /** Does with the keyboard alone what the screen is for. */
  act(page: Page, seen: Everything): Promise<void>
}

const query = (values: Record<string, string>) => `?${new URLSearchParams(values)}`

/** Goes to a control by Tab, and presses a key on it. */
async function press(page: Page, name: string, key = 'Enter') {
  await tabTo(page, name)
  await page.keyboard.press(key)
}

async function write(page: Page, name: string, text: string) {
  await tabTo(page, name)
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

const part = (name: string, step: string, title = name): Pick<Screen, 'name' | 'path' | 'title'> => ({
  name: `operate, ${name}`,
  path: () => `operate/${step}`,
  title,
})

const SCREENS: readonly Screen[] = [
  {
    name: 'overview',
    path: ({ times }) => `overview${query(times)}`,
    title: 'Overview',
    async act(page) {
      await press(page, 'Events and attempts as a table')
      await page.getByRole('table', { name: /^Events and attempts/ }).waitFor()
    },
  },
  {
    name: 'feed',
    path: ({ webhookId, times }) =>
      query({
        kind: 'delivery',
        app: app.id!,
        type: 'dm.received',
        webhook: webhookId,
        user: '101',
        outcome: 'delivered',
        status: '2xx',
        attempts: '1',
        ...times,
      }),
    title: 'Feed',
    asks: 'Resend all that match…',
    async act(page) {
      await press(page, 'Pause')
      await page.getByText('Paused: nothing changes until you resume.').waitFor()
    },
  },
  {
    name: 'deliveries',
    path: ({ webhookId, times: { from } }) =>
      `deliveries${query({ state: 'retrying', webhook_id: webhookId, next_try_from: from, next_try_to: '2099-01-01T00:00:00Z' })}`,
    title: 'Deliveries',
    async act(page, { retrying }) {
      await press(page, 'dm.received')
      await heading(page, `Delivery of event ${retrying}`)
    },
  },
  {
    name: 'search',
    path: ({ times }) => `search${query({ text: 'Hello', ...times })}`,
    title: 'Search in payloads',
    async act(page) {
      await tabTo(page, 'Text, as it is')
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type('Never')
      await page.keyboard.press('Enter')
      await page.getByText('1 found. Looked back to').waitFor()
    },
  },
  {
    name: 'webhooks',
    path: () => 'webhooks',
    title: 'Webhooks',
    async act(page, { receiver, webhookId }) {
      await press(page, receiver.url)
      await heading(page, `Webhook ${webhookId}`)
    },
  },
  {
    name: 'a webhook',
    path: ({ webhookId }) => `webhooks/${webhookId}`,
    title: /^Webhook \d+$/,
    asks: /^Resend the failed deliveries/,
    async act(page) {
      await press(page, 'Try a challenge')
      await page.getByText('It passed: the webhook is valid.').waitFor()
    },
  },
  {
    name: 'apps',
    path: () => 'apps',
    title: 'Apps',
    async act(page) {
      await press(page, 'Create an app')
      await heading(page, 'Create an app')
    },
  },
  {
    name: 'load by app',
    path: () => `apps/load${query({ by: 'failed_attempts', over: 'day', top: '10' })}`,
    title: 'Load by app',
    async act(page) {
      await press(page, app.name!)
      await heading(page, `App ${app.name}`)
    },
  },
  {
    name: 'a new app',
    path: () => 'apps/new',
    title: 'Create an app',
    async act(page) {
      await write(page, 'Name', 'Acme')
      await page.getByRole('dialog').getByText('Consumer secret').waitFor()
      await page.keyboard.press('Escape')
      await heading(page, 'App Acme')
    },
  },
  {
    name: 'an app',
    path: () => `apps/${app.id}`,
    title: /^App /,
    async act(page) {
      await press(page, 'Suspend the app')
      await page.getByText('its calls are refused').waitFor()
      await press(page, 'Resume the app')
      await page.getByText('It is active again.').waitFor()
    },
  },
  {
    name: 'compare',
    path: ({ delivered, retrying }) => `compare/${delivered}/${retrying}`,
    title: 'Compare events',
    async act(page, { delivered }) {
      await press(page, `event ${delivered}`)
      await heading(page, `Event ${delivered}`)
    },
  },
  {
    name: 'a call',
    path: ({ call }) => `calls/${call}`,
    title: /^Call /,
    async act(page) {
      await press(page, 'As curl')
      await page.getByLabel('call for curl', { exact: true }).waitFor()
    },
  },
  {
    name: 'an event',
    path: ({ delivered }) => `events/${delivered}`,
    title: /^Event \d+$/,
    async act(page) {
      await press(page, 'Resend')
      await page.getByText('It is sent again.').waitFor()
    },
  },
  {
    name: 'a delivery',
    path: ({ retrying, webhookId }) => `events/${retrying}/${webhookId}`,
    title: /^Delivery of event \d+$/,
    async act(page) {
      await press(page, 'The request: POST, signed')
      await page.getByText('Signatures are not kept.').waitFor()
    },
  },
  {
    ...part('Audit log', 'audit'),
    path: ({ times }) => `operate/audit${query({ action: 'createReplay', ...times })}`,
    async act(page) {
      await write(page, 'App or user id', '1')
      assert.equal(new URL(page.url()).searchParams.get('target'), '1')
    },
  },
  {
    ...part('Wrong credentials', 'failures'),
    async act(page) {
      await press(page, 'Replays')
      await heading(page, 'Replays')
    },
  },
  {
    ...part('Revoke', 'revoke', 'Revoke tokens and end sessions'),
    path: () => 'operate/revoke?user=101',
    asks: /^Revoke what/,
    async act(page) {
      await write(page, 'Show what this user has granted', '102')
      await page.getByRole('table', { name: 'What user Grace (102) has granted apps' }).waitFor()
    },
  },
  {
    ...part('Replays', 'replays'),
    async act(page) {
      await press(page, 'Resends')
      await heading(page, 'Resends')
    },
  },
  {
    ...part('Resends', 'resends'),
    async act(page) {
      await press(page, 'Processes')
      await heading(page, 'Processes')
    },
  },
  {
    ...part('Processes', 'processes'),
    async act(page) {
      await press(page, 'Storage')
      await heading(page, 'Storage')
    },
  },
  {
    ...part('Storage', 'storage'),
    async act(page) {
      await press(page, 'Audit log')
      await heading(page, 'Audit log')
    },
  },
  {
    name: 'trigger',
    path: () => 'develop/trigger?type=post.create',
    title: 'Trigger',
    async act(page) {
      await press(page, 'Trigger post.create')
      await page
        .getByRole('region', { name: 'What happened' })
        .getByText(/post\.create/)
        .first()
        .waitFor()
    },
  },
  {
    name: 'clock',
    path: () => 'develop/clock',
    title: 'Clock',
    async act(page) {
      await press(page, 'Advance 1 minute')
      await page.getByText(/^The clock was moved to/).waitFor()
      await press(page, 'Back to the real time')
      await page.getByText('It shows the real time.').waitFor()
    },
  },
  {
    name: 'faults',
    path: () => 'develop/faults',
    title: 'Faults',
    async act(page) {
      await press(page, 'Delete fault 1')
      await page.getByText('No fault is set').waitFor()
    },
  },
  {
    name: 'inboxes',
    path: () => 'develop/inboxes',
    title: 'Inboxes',
    async act(page, { inbox }) {
      await press(page, inbox)
      await heading(page, `Inbox ${inbox}`)
    },
  },
  {
    name: 'an inbox',
    path: ({ inbox }) => `develop/inboxes/${inbox}`,
    title: /^Inbox /,
    asks: 'Delete inbox',
    async act(page) {
      await press(page, 'Delete inbox')
      await tabTo(page, 'Delete inbox')
      await page.keyboard.press('Enter')
      await page.getByText('There is no inbox').waitFor()
    },
  },
  {
    name: 'snapshots, worlds, reset',
    path: () => 'develop/state',
    title: 'Snapshots, worlds, reset',
    asks: 'Reset',
    async act(page) {
      await press(page, 'Take a snapshot')
      await page.getByText(/^Snapshot \d+ is taken\.$/).waitFor()
    },
  },
  {
    name: 'people and keys',
    path: () => 'develop/keys',
    title: 'People and keys',
    async act(page) {
      await press(page, 'Copy access token of ada')
      await page.getByText(/^(Copied\.|Selected: copy it with the keyboard\.)$/).waitFor()
    },
  },
  {
    name: 'no such page',
    path: () => 'nowhere',
    title: 'No such page',
    async act(page) {
      await press(page, 'the feed')
      await heading(page, 'Feed')
    },
  },
]

/** Opens a screen, and waits until it has read what it shows. */
async function open(page: Page, address: string, title: string | RegExp) {
  await page.goto(address)
  await heading(page, title)
  await page.waitForFunction(() => !/Reading…/.test(document.querySelector('main')!.innerText))
}

interface Stop {
  control: number
  what: string
  isMarked: boolean
  isInView: boolean
}

interface Walk {
  controls: Element[]
  stops: Stop[]
  names: string[]
}

/** Numbers what can be reached, and notes each element that gets the focus, until `walk` reads it. */
const beginWalk = (page: Page, within: string) =>
  page.evaluate((root) => {
    for (const one of document.querySelectorAll(`${root} details`)) one.setAttribute('open', '')
    const seen: Walk = { controls: [], stops: [], names: [] }
    const SELECTOR = 'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary'
    const radios = new Set<string>()
    seen.controls = [...document.querySelectorAll(`${root} :is(${SELECTOR})`)].filter((one) => {
      if (!one.checkVisibility()) return false
      // A group of radio buttons is one stop.
      const { type, name } = one as HTMLInputElement
      if (type !== 'radio') return true
      const isChecked = document.querySelector<HTMLInputElement>(`input[name="${name}"]:checked`)
      if (radios.has(name) || (isChecked && isChecked !== one)) return false
      radios.add(name)
      return true
    })
    seen.names = seen.controls.map((one) => one.outerHTML.slice(0, 120))
    const marked = (one: Element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(one)
      return one.matches(':focus-visible') && outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
    }
    document.addEventListener('focusin', ({ target }) => {
      const one = target as Element
      const stop = { control: seen.controls.indexOf(one), what: one.outerHTML.slice(0, 120), isMarked: marked(one), isInView: false }
      seen.stops.push(stop)
      one.addEventListener(
        'focusout',
        () => {
          const { top, bottom, left, right, width } = one.getBoundingClientRect()
          stop.isInView = width > 0 && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth
        },
        { once: true },
      )
    })
    Object.assign(globalThis, { walk: seen })
    return seen.controls.length
  }, within)

const walked = (page: Page) =>
  page.evaluate(() => {
    const { stops, names } = (globalThis as unknown as { walk: Walk }).walk
    return { stops, names }
  })

/** Tab goes through the day, the month and so on of a field. */
const PARTS_OF_TIME = 8
/** Boxes that scroll have the focus as well. */
const SCROLLED = 6

/** Tab reaches every control in the order of the page, each with a mark in view, and leaves the last one. */
async function walk(page: Page, name: string) {
  const count = await beginWalk(page, 'body')
  const within = await page.locator('input[type="datetime-local"]').count()
  await page.locator('.skip').focus()
  for (let presses = 0; presses < count + PARTS_OF_TIME * within + SCROLLED; presses++) await page.keyboard.press('Tab')
  const { stops, names } = await walked(page)
  const round = stops.slice(0, stops.findIndex(({ control }, place) => place > 0 && control === 0) >>> 0)
  const order = round.map(({ control }) => control).filter((control) => control >= 0)
  assert.deepEqual(
    names.filter((_, control) => !order.includes(control)),
    [],
    `${name}: controls that Tab does not reach`,
  )
  assert.deepEqual(order, [...names.keys()], `${name}: the order of the focus`)
  assert.deepEqual(
    round.slice(0, -1).filter(({ isMarked, isInView }) => !isMarked || !isInView),
    [],
    `${name}: focus that cannot be seen`,
  )
}

/** A dialog takes the focus, keeps it, and gives it back. */
async function walkDialog(page: Page, name: string, opener: string | RegExp) {
  const button = page.getByRole('button', { name: opener }).first()
  await button.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  const count = await page.getByRole('dialog').locator('button:not(:disabled), input, select, a').count()
  const places: (string | undefined)[] = []
  for (let presses = 0; presses < count + 3; presses++) {
    places.push(await page.evaluate(() => (document.activeElement?.closest('dialog') ? 'dialog' : document.activeElement?.tagName)))
    await page.keyboard.press('Tab')
  }
  assert.equal(places[0], 'dialog', `${name}: the dialog takes the focus`)
  assert.deepEqual(
    places.filter((place) => place !== 'dialog' && place !== 'BODY'),
    [],
    `${name}: nothing behind a dialog has the focus`,
  )
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal(await button.evaluate((one) => one === document.activeElement), true, `${name}: the focus is where it was`)
}

/** What a reader sees of a screen, and what its fields hold. */
const shown = (page: Page) =>
  page.evaluate(() => ({
    address: location.href,
    title: document.title,
    fields: [...document.querySelectorAll<HTMLInputElement>('main :is(input, select, textarea)')].map(({ name, value }) => [name, value]),
    chips: [...document.querySelectorAll('.chips li')].map(({ textContent }) => textContent),
    rows: [...document.querySelectorAll('main tbody th')].map(({ textContent }) => textContent),
  }))

suite('every screen of the console', () => {
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  test('the screens of these tests are those of the console', async () => {
    const source = (file: string) => readFileSync(join(import.meta.dirname, '../../../../console/src', file), 'utf8')
    const steps = (file: string) => [...source(file).matchAll(/step: '(\w*)'/g)].map(([, step]) => step!)
    const paths = SCREENS.map(({ path }) => path({ times: {} } as Everything))
    const has = (step: string) => paths.some((path) => path.split(/[/?]/)[0] === step)
    assert.deepEqual(
      [...new Set(steps('screens.tsx'))].filter((step) => !has(step)),
      [],
    )
    for (const [screen, file] of [
      ['operate', 'operate-screen.tsx'],
      ['develop', 'develop-screen.tsx'],
    ] as const)
      assert.deepEqual(
        steps(file).filter((step) => !paths.some((path) => path.split('?')[0] === `${screen}/${step}`)),
        [],
      )
  })

  test('Tab reaches every control of every screen in order and in sight, dialogs give the focus back, and its act needs no pointer', async (context) => {
    await using seen = await setEverything(browser)
    const { page, url } = seen
    for (const screen of SCREENS)
      await context.test(screen.name, async () => {
        await open(page, url(screen.path(seen)), screen.title)
        await walk(page, screen.name)
        await open(page, url(screen.path(seen)), screen.title)
        if (screen.asks !== undefined) await walkDialog(page, screen.name, screen.asks)
        await open(page, url(screen.path(seen)), screen.title)
        await screen.act(page, seen)
      })
    assert.deepEqual(
      seen.complaints.filter((one) => !one.includes('404')),
      [],
    )
  })

  test('the portal and the page to sign in are used with the keyboard alone as well', async () => {
    await using seen = await setEverything(browser)
    const { page, url, stage, receiver, webhookId, delivered } = seen
    await page.goto((await stage.operator('POST', `/operator/apps/${app.id}/portal`)).body.data.url)
    await heading(page, 'Open the portal')
    await walk(page, 'the link of a portal')
    await press(page, 'Open')
    await heading(page, `Deliveries of ${app.name}`)
    for (const [path, title] of [
      ['', `Deliveries of ${app.name}`],
      [`webhooks/${webhookId}`, `Webhook ${webhookId}`],
      [`events/${delivered}/${webhookId}`, `Delivery of event ${delivered}`],
      ['webhooks', 'Webhooks'],
    ] as const) {
      await open(page, url(path), title)
      await walk(page, `the portal, ${path}`)
    }
    await open(page, url('webhooks'), 'Webhooks')
    await press(page, receiver.url)
    await heading(page, `Webhook ${webhookId}`)
    await walkDialog(page, 'the portal', /^Resend the failed deliveries/)
    await press(page, 'Count')
    await page.getByText(/events would be sent/).waitFor()
    await press(page, 'Sign out')

    await using other = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': '192.0.2.7' } })
    const signingIn = await other.newPage()
    await open(signingIn, url('webhooks'), 'Sign in')
    await walk(signingIn, 'sign in')
    await tabTo(signingIn, 'Operator token')
    await signingIn.keyboard.type(OPERATOR_TOKEN)
    await signingIn.keyboard.press('Enter')
    await heading(signingIn, 'Webhooks')
  })

  test('the address of every screen opens it elsewhere as it was copied, with all its filters', async (context) => {
    await using seen = await setEverything(browser)
    const { page, url, stage } = seen
    await using other = await browser.newContext()
    const elsewhere = await other.newPage()
    for (const screen of SCREENS)
      await context.test(screen.name, async () => {
        const address = url(screen.path(seen))
        await open(page, address, screen.title)
        assert.equal(page.url(), address)
        const copied = await shown(page)
        const text = await page.locator('main').innerText()
        for (const [name, value] of new URL(address).searchParams)
          assert.ok(
            copied.fields.some(([field, held]) => field === name && held) || copied.chips.length > 0 || text.includes(value),
            `${name}=${value} is in no field, chip or text`,
          )
        await open(elsewhere, copied.address, screen.title)
        await stage.until(async () => JSON.stringify(await shown(elsewhere)) === JSON.stringify(await shown(page)))
      })
  })

  test('below a path of a proxy no screen breaks the policy of its page, or asks for anything outside that path', async (context) => {
    await using seen = await setEverything(browser)
    await using proxy = await startPrefixProxy('/tools/postern', seen.stage.origins.base_url)
    await using other = await browser.newContext()
    const page = await other.newPage()
    const found: string[] = []
    const base = `${proxy.origin}/tools/postern/`
    other.on('console', (message) => found.push(message.text()))
    other.on('request', (request) => request.url().startsWith(base) || found.push(request.url()))
    await page.exposeFunction('reported', (directive: string) => void found.push(directive))
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective }) =>
        (globalThis as unknown as { reported(directive: string): void }).reported(violatedDirective),
      )
    })
    for (const screen of SCREENS)
      await context.test(screen.name, async () => {
        found.length = 0
        await open(page, `${base}console/${screen.path(seen)}`, screen.title)
        assert.deepEqual(found, [])
      })
  })

  test('whoever only reads finds no button on any screen that changes something, and the server refuses each act of that session', async (context) => {
    await using seen = await setEverything(browser)
    const { url } = seen
    await using other = await browser.newContext()
    const page = await other.newPage()
    await page.goto(url('nowhere'))
    await heading(page, 'No such page')
    // Instead of the session that a browser of this machine gets.
    await page.evaluate(async (token) => {
      await fetch('../operator/session', { method: 'POST', headers: { authorization: `Bearer ${token}`, 'x-postern-console': '1' } })
    }, READER)
    const changes: string[] = []
    other.on('request', (request) => request.method() !== 'GET' && changes.push(`${request.method()} ${new URL(request.url()).pathname}`))
    for (const screen of SCREENS.filter(({ name }) => name !== 'a new app'))
      await context.test(screen.name, async () => {
        await open(page, url(screen.path(seen)), screen.title)
        await page.evaluate(async () => {
          for (const one of document.querySelectorAll('details')) one.setAttribute('open', '')
          for (const button of document.querySelectorAll<HTMLButtonElement>('header button, main button')) {
            if (button.disabled || !button.isConnected) continue
            button.click()
            await new Promise(requestAnimationFrame)
            for (const inside of document.querySelectorAll<HTMLButtonElement>('dialog button')) inside.click()
          }
          await new Promise(requestAnimationFrame)
        })
        assert.deepEqual(changes, [])
      })
    const refused = await page.evaluate(async (paths) => {
      const at = document.querySelector<HTMLScriptElement>('script')!.src.replace(/console\/.*$/, 'operator/')
      const answers = paths.map(async ([method, path]) => {
        const { status } = await fetch(at + path, {
          method: method!,
          headers: { 'x-postern-console': '1', 'content-type': 'application/json' },
          body: '{}',
        })
        return `${method} ${path} ${status}`
      })
      return Promise.all(answers)
    }, ACTS)
    assert.deepEqual(
      refused,
      ACTS.map(([method, path]) => `${method} ${path} 403`),
    )
  })
})
