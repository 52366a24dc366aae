// How much memory the feed takes in a browser while much happens.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { cases } from '../../stage/cases.ts'
import { openBrowser } from './browser.ts'
import { setConsole } from './console-stage.ts'

/** Batches of 500 events; in the slow lane for about two minutes. */
const BATCHES = cases(40, 240)
const EVENTS = 500
const MOST_BYTES = 50_000_000
/** What is shown at most, in rows. */
const MOST_ROWS = 500

suite('the feed in a browser while hundreds of events come each second', () => {
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  test('keeps a bounded number of rows, and its scripts less than 50 MB', async (t) => {
    await using seen = await setConsole(browser)
    const { page, stage, context } = seen
    await page.goto(seen.url('?kind=event'))
    await page.getByText('Live', { exact: true }).waitFor()
    const devtools = await context.newCDPSession(page)
    const usedBytes = async () => {
      await devtools.send('HeapProfiler.collectGarbage')
      return (await devtools.send('Runtime.getHeapUsage')).usedSize
    }
    const used: number[] = []
    for (let batch = 1; batch <= BATCHES; batch += 1) {
      await stage.publish(...Array.from({ length: EVENTS }, (_, n) => ({ text: `event ${n} of ${batch} ${'x'.repeat(200)}` })))
      if (batch % (BATCHES / 4) === 0) used.push(await usedBytes())
    }
    t.diagnostic(`${BATCHES * EVENTS} events: ${used.map((bytes) => (bytes / 1e6).toFixed(1)).join(', ')} MB`)
    assert.ok(Math.max(...used) < MOST_BYTES, `${used}`)
    assert.ok(used.at(-1)! < 1.5 * used[0]! + 2_000_000, `it grows: ${used}`)
    assert.ok((await page.locator('tbody tr').count()) <= MOST_ROWS)
    assert.deepEqual(seen.complaints, [])
  })
})
