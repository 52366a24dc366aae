import assert from 'node:assert/strict'
import { test } from 'node:test'
import axe from 'axe-core'
import { DEMO_SEED, readSeed } from '../../../src/endpoints/operator/seed/read-seed.ts'
import { setStage } from '../../stage/postern.ts'
import { openBrowser } from './browser.ts'

const { document: demo } = await readSeed(DEMO_SEED)

test('axe finds nothing on the page of keys that stands in for the console, light or dark, and it does not scroll sideways on a phone', async () => {
  await using stage = await setStage({ seed: demo })
  const browser = await openBrowser()
  try {
    const page = await (await browser.newContext({ extraHTTPHeaders: { accept: '*/*' } })).newPage()
    await page.goto(`${stage.origins.base_url}/`)
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 844 })
      await page.emulateMedia({ colorScheme })
      const path = process.env.POSTERN_TEST_SCREENSHOTS
      if (path) await page.screenshot({ path: `${path}/start-${width}-${colorScheme}.png`, fullPage: true })
      assert.equal(await page.locator('html').evaluate((root) => root.scrollWidth), width)
      await page.evaluate(axe.source)
      const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
      assert.deepEqual(
        violations.map(({ id, nodes }) => [id, nodes[0]?.html]),
        [],
      )
    }
  } finally {
    await browser.close()
  }
})
