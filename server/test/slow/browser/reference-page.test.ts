import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { adsEndpoints, developmentEndpoints, generalEndpoints, operatorEndpoints } from '../../../scripts/all-endpoints.ts'
import { eventTypes } from '../../../src/delivery/events/event-types.ts'
import { setStage } from '../../stage/postern.ts'
import { openBrowser } from './browser.ts'

const endpoints = [...generalEndpoints, ...adsEndpoints, ...operatorEndpoints, ...developmentEndpoints]

const spelled = (text: string) => text.replaceAll('`', '')

/** Opens the pages of a reference, and records what they load and what the browser complains of. */
async function openReference(browser: Browser, origin: string) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  const [asked, complaints] = [new Set<string>(), [] as string[]]
  page.on('request', (request) => asked.add(new URL(request.url()).origin))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(`${origin}/docs`)
  const paths = await page.locator('nav a').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
  return { page, asked, complaints, paths: [...new Set(paths)], [Symbol.asyncDispose]: () => context.close() }
}

/** Text of a page that stands in no code, where backticks are of Markdown that nobody read. */
const proseOf = (page: Page) =>
  page.evaluate(() => {
    const { document } = globalThis as unknown as {
      document: { body: { cloneNode(deep: true): { querySelectorAll(of: string): { remove(): void }[]; textContent: string } } }
    }
    const copy = document.body.cloneNode(true)
    for (const code of copy.querySelectorAll('pre, code')) code.remove()
    return copy.textContent
  })

const screenshots = process.env.POSTERN_TEST_SCREENSHOTS

/** A page of each kind, and small ones: axe takes seconds for each. */
const LOOKED_AT = ['/docs', '/docs/webhooks', '/docs/keyword-insights']

suite('the reference', () => {
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  test('shows every endpoint and every event in a real browser, runs no script, loads nothing from other hosts, and leaves no backtick', async () => {
    await using stage = await setStage()
    await using reference = await openReference(browser, stage.origins.base_url)
    const { page, asked, complaints, paths } = reference
    const missing = new Set([...endpoints, ...Object.values(eventTypes)].map(({ summary }) => spelled(summary)))
    for (const text of await page.locator('.contents a').allInnerTexts()) missing.delete(text)
    assert.deepEqual([...missing], [])
    const operations = new Set<string>([...endpoints.map(({ name }) => name), ...Object.keys(eventTypes)])
    for (const path of paths) {
      const response = await page.goto(`${stage.origins.base_url}${path}`)
      assert.equal(response?.status(), 200, path)
      assert.doesNotMatch(await proseOf(page), /`/, path)
      assert.equal(await page.locator('script').count(), 0)
      for (const id of await page.locator('.operation').evaluateAll((sections) => sections.map(({ id }) => id))) operations.delete(id)
      const policy = response?.headers()['content-security-policy'] ?? ''
      assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:;/)
    }
    assert.deepEqual([...operations], [])
    assert.deepEqual(
      [...asked].filter((origin) => origin !== 'null'),
      [stage.origins.base_url],
    )
    assert.deepEqual(complaints, [])
  })

  test('no page scrolls sideways, and axe finds nothing on one of each kind, at a desk in light and on a phone in the dark', async () => {
    await using stage = await setStage()
    await using reference = await openReference(browser, stage.origins.base_url)
    const { page, paths } = reference
    for (const path of paths) {
      await page.goto(`${stage.origins.base_url}${path}`)
      for (const [width, colorScheme] of [
        [1280, 'light'],
        [390, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 844 })
        await page.emulateMedia({ colorScheme })
        assert.equal(await page.locator('html').evaluate((root) => root.scrollWidth), width, path)
        if (screenshots) await page.screenshot({ path: `${screenshots}${path.replaceAll('/', '-')}-${width}-${colorScheme}.png` })
        if (!LOOKED_AT.includes(path)) continue
        await page.evaluate(axe.source)
        const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
        const found = violations.map(({ id, nodes }) => [id, nodes.length, nodes[0]?.html])
        assert.deepEqual(found, [], `${path} (${width}, ${colorScheme})`)
      }
    }
  })
})
