import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventTypes } from '../../src/delivery/events/event-types.ts'
import { generalEndpoints } from '../../src/endpoints/index.ts'
import { openBrowser } from '../stage/browser.ts'
import { setStage } from '../stage/postern.ts'

/** Scrolls with two frames for the page to draw, and gives its height. */
const scrollTo = (top: number) =>
  `new Promise((drawn) => { window.scrollTo(0, ${top}); requestAnimationFrame(() => requestAnimationFrame(() => drawn(document.body.scrollHeight))) })`

/** The summaries of endpoints and events that a walk down the page does not meet: it draws only what is in view. */
async function summariesMissing(page: Page): Promise<string[]> {
  const missing = new Set([...generalEndpoints, ...Object.values(eventTypes)].map(({ summary }) => summary))
  for (let walk = 0; walk < 5 && missing.size > 0; walk += 1)
    for (let [top, height] = [0, 1]; top < height && missing.size > 0; top += STEP) {
      height = (await page.evaluate(scrollTo(top))) as number
      for (const text of await page.locator('.opblock-summary-description').allInnerTexts()) missing.delete(text)
    }
  return [...missing]
}

const STEP = 500

test('the reference page shows every endpoint and every event in a real browser, loads nothing from other hosts, and violates no rule of its own', async () => {
  await using stage = await setStage()
  const browser = await openBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 1000 } })
    const [asked, complaints]: [string[], string[]] = [[], []]
    page.on('request', (request) => asked.push(new URL(request.url()).origin))
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(`${stage.origins.base_url}/docs`)
    await page.locator('.opblock').first().waitFor()
    assert.deepEqual(await summariesMissing(page), [])
    await page.evaluate('window.scrollTo(0, 0)')
    if (process.env.POSTERN_TEST_SCREENSHOTS) await page.screenshot({ path: `${process.env.POSTERN_TEST_SCREENSHOTS}/docs.png` })
    assert.deepEqual([...new Set(asked.filter((origin) => origin !== 'null'))], [stage.origins.base_url])
    assert.deepEqual(complaints, [])
  } finally {
    await browser.close()
  }
})

test('the OpenAPI description has every endpoint with its parameters, and follows the dialect', async () => {
  await using stage = await setStage()
  const { body } = await stage.api('GET', '/openapi.json')
  assert.deepEqual([body.openapi, body.info.version], ['3.1.0', '2.165'])
  for (const { method, path, name } of generalEndpoints) {
    const operation = body.paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()]
    assert.equal(operation.operationId, name)
  }
  const fields = body.paths['/2/webhooks'].get.parameters[0]
  assert.deepEqual([fields.name, fields.in, fields.required], ['webhook_config.fields', 'query', false])
  assert.deepEqual(body.paths['/2/webhooks/replay'].post.requestBody.content['application/json'].schema.required, [
    'webhook_id',
    'from_date',
    'to_date',
  ])
})
