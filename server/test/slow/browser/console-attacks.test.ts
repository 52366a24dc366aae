// Strings that strangers choose, on the pages that show them.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { call } from '../../stage/call.ts'
import { startCallback } from '../../stage/callback-servers.ts'
import { openBrowser } from './browser.ts'
import { app, setConsole } from './console-stage.ts'

/** Markup that does something wherever it is taken for markup, with a name of its own. No white space, so that it fits into an address too. */
const markup = (name: string) => `"'><img/src="x"/onerror="attacked('${name}')"><script>attacked('${name}')</script>{{attacked('${name}')}}`
const SHORT = `"'><img/src="x"/onerror="attacked(1)">`

/** Everything that a page must not have got from a string. */
const STRANGE =
  'img, svg:not(.steps), iframe, object, embed, base, form[action], style, [style], [srcdoc], a[href^="javascript:" i], a[href^="data:" i]'

async function watch(page: Page) {
  const seen: string[] = []
  await page.exposeFunction('attacked', (what: unknown) => void seen.push(`ran ${what}`))
  page.on('dialog', (dialog) => {
    seen.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.addInitScript(() => {
    const here = globalThis as unknown as { attacked(what: string): void } & EventTarget
    here.addEventListener('securitypolicyviolation', (event) => here.attacked((event as SecurityPolicyViolationEvent).violatedDirective))
  })
  return seen
}

/** Waits until a page shows a text, opens all that can be opened, and looks for what is no text of the console. */
async function inspect(page: Page, shows: string, seen: readonly string[]) {
  await page.getByText(shows).first().waitFor({ state: 'attached' })
  await page.locator('main details').evaluateAll((all) => {
    for (const one of all) one.setAttribute('open', '')
  })
  const found = await page.evaluate((strange) => {
    const elements = [...document.querySelectorAll('*')]
    const handlers = elements.flatMap((element) =>
      [...element.attributes].filter(({ name }) => name.startsWith('on')).map(({ name }) => name),
    )
    return {
      strange: [...document.querySelectorAll(strange)].map((element) => element.outerHTML),
      handlers,
      scripts: document.querySelectorAll('script').length,
    }
  }, STRANGE)
  assert.deepEqual(found, { strange: [], handlers: [], scripts: 1 }, page.url())
  assert.deepEqual(seen, [], page.url())
}

suite('the console against what strangers write', () => {
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  test('markup in names, addresses, events, answers, errors and calls is text, on every page and in the portal', async () => {
    await using seen = await setConsole(browser)
    const { page, stage, url, receiver } = seen
    const attacks = await watch(page)
    const token = await stage.token({ consumer_key: app.consumer_key!, consumer_secret: app.consumer_secret! })
    await stage.operator('PATCH', `/operator/apps/${app.id}`, { name: `${app.name}${markup('').slice(0, 90)}` })
    const webhookId = await stage.register(`${receiver.url}?${SHORT}`, token)
    await stage.subscribe(webhookId, token, { tag: markup('tag').slice(0, 90) })
    // The callback answers with markup in its headers and its body.
    receiver.intercept = (request, response) => {
      if (request.method !== 'POST') return false
      response.writeHead(500, { 'content-type': 'text/html', 'x-markup': SHORT, server: SHORT, 'retry-after': '3600' })
      response.end(`<html>${markup('body')}</html>`)
      return true
    }
    const payload = {
      [markup('key')]: markup('value'),
      list: [markup('item')],
      url: `javascript:attacked('url')`,
    }
    const [uuid] = await stage.publish(payload)
    await stage.deliveriesWhen('state=retrying', (found) => found.length === 1)
    // A failed challenge, whose reason is shown.
    await using callback = await startCallback((_, response) =>
      response.writeHead(302, { location: `https://${SHORT}/`, 'x-markup': SHORT }).end(markup('challenge')),
    )
    await stage.api('POST', '/2/webhooks', { token, json: { url: `${callback.origin}/hook?${SHORT}` } })
    // A refused call with markup wherever a stranger can put it.
    await call(
      `${stage.origins.base_url}/2/tweets/${encodeURIComponent(markup('path'))}?${encodeURIComponent(SHORT)}=${encodeURIComponent(markup('query'))}`,
      'POST',
      {
        headers: { 'user-agent': markup('agent'), 'x-markup': markup('header'), 'content-type': 'application/json' },
        body: JSON.stringify({ [markup('name')]: markup('sent') }),
      },
    )
    const { data: calls } = (await stage.operator('GET', '/operator/requests?last=1')).body

    await page.goto(url())
    await page
      .getByRole('button', { name: /^Open: / })
      .first()
      .waitFor()
    const closed = page.getByRole('button', { name: /^Open: / })
    while ((await closed.count()) > 0) await closed.first().click()
    await inspect(page, "attacked('value')", attacks)
    await page.goto(url(`events/${uuid}`))
    await inspect(page, "attacked('body')", attacks)
    await inspect(page, "attacked('key')", attacks)
    await inspect(page, "attacked('tag')", attacks)
    await page.goto(url(`events/${uuid}/${webhookId}`))
    await inspect(page, "attacked('value')", attacks)
    await page.goto(url(`calls/${calls[0].sequence}`))
    await inspect(page, "attacked('agent')", attacks)
    await page.goto(url('webhooks'))
    await inspect(page, SHORT, attacks)
    await page.goto(url('apps'))
    await inspect(page, 'onerror="attacked', attacks)
    for (const path of [
      `?event_type=${encodeURIComponent(SHORT)}`,
      `?app=${encodeURIComponent(SHORT)}#${SHORT}`,
      `events/${encodeURIComponent(SHORT)}`,
    ]) {
      await page.goto(url(path))
      await inspect(page, 'Postern', attacks)
    }

    await page.goto((await stage.operator('POST', `/operator/apps/${app.id}/portal`)).body.data.url)
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await inspect(page, 'onerror="attacked', attacks)
    await page.goto(url(`events/${uuid}`))
    await inspect(page, "attacked('value')", attacks)
    await page.goto(`${url('portal')}#${encodeURIComponent(markup('link'))}`)
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await inspect(page, 'ask the operator for a new one', attacks)
  })

  test('a page of another origin neither frames the console nor acts with its session', async () => {
    await using seen = await setConsole(browser)
    const { page, stage, url, context } = seen
    await page.goto(url('webhooks'))
    await page.getByText('No app has a webhook yet').waitFor()
    const { base_url } = stage.origins
    await using elsewhere = await startCallback((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end(`<title>elsewhere</title><iframe src="${base_url}/console/"></iframe>
        <form method="post" action="${base_url}/operator/apps" enctype="text/plain"><input name='{"name":"Forged","x":"' value='"}'></form>`)
    })
    // The same host by another name has another site; by the same name another port is the same site.
    for (const name of ['localhost', '127.0.0.1']) {
      const foreign = await context.newPage()
      const complaints: string[] = []
      foreign.on('console', (message) => complaints.push(message.text()))
      const origin = new URL(elsewhere.origin)
      origin.hostname = name
      await foreign.goto(origin.href)
      await stage.until(() => complaints.some((text) => /frame-ancestors|X-Frame-Options/i.test(text)))
      const frame = foreign.frames().find((one) => one !== foreign.mainFrame())!
      assert.equal(await frame.locator('#console').count(), 0)
      const tried = await foreign.evaluate(async (at) => {
        const ask = (path: string, init: RequestInit) =>
          fetch(at + path, { credentials: 'include', ...init }).then(
            (answer) => `${answer.type} ${answer.status}`,
            () => 'refused',
          )
        return [
          await ask('/operator/feed', {}),
          await ask('/operator/apps', {}),
          await ask('/operator/apps', { method: 'POST', body: '{"name":"Forged"}', mode: 'no-cors' }),
          await ask('/operator/apps', {
            method: 'POST',
            body: '{"name":"Forged"}',
            headers: { 'content-type': 'application/json', 'x-postern-console': '1' },
          }),
        ]
      }, base_url)
      assert.deepEqual(tried, ['refused', 'refused', 'opaque 0', 'refused'])
      await foreign.evaluate(() => document.querySelector('form')!.submit())
      await foreign.waitForURL(/operator\/apps/)
      assert.match(await foreign.content(), /"status":40[13]/)
    }
    const { data } = (await stage.operator('GET', '/operator/apps')).body
    assert.ok(!data.some((one: { name: string }) => one.name === 'Forged'))
  })
})
