import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { DEMO_SEED, readSeed } from '../../../src/endpoints/operator/seed/read-seed.ts'
import { type demoApp, setStage } from '../../stage/postern.ts'
import { startReceiver } from '../../stage/receiver.ts'

const { document: demo } = await readSeed(DEMO_SEED)
export const app = demo.apps![0]!
const secret = app.consumer_secret!

/** A console on a server with two deliveries, one of which is refused, and a call that is. */
export async function setConsole(
  browser: Browser,
  environment: Record<string, string> = {},
  options: BrowserContextOptions = {},
  seed = demo,
) {
  await using begun = new AsyncDisposableStack()
  const stage = begun.use(await setStage({ seed, fresh: true, environment }))
  const receiver = begun.use(await startReceiver([secret]))
  const context = await browser.newContext(options)
  begun.defer(() => context.close())
  const complaints: string[] = []
  context.on('console', (message) => complaints.push(message.text()))
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(String(error)))
  const owned = begun.move()
  return {
    stage,
    receiver,
    context,
    page,
    complaints,
    url: (path = '') => `${stage.origins.base_url}/console/${path}`,
    /** Registers the webhook of the receiver, and makes a delivery of each kind. */
    async fill() {
      const token = await stage.token(app as typeof demoApp)
      const webhookId = await stage.register(receiver.url, token)
      await stage.subscribe(webhookId, token)
      const [delivered] = await stage.publish({ text: 'Hello', large_id: 1, nested: { list: [1, 2, { deep: true }] } })
      await stage.deliveriesWhen('state=delivered', (found) => found.length === 1)
      receiver.answerPosts(500, { 'retry-after': '3600' })
      const [retrying] = await stage.publish({ text: 'Never' })
      await stage.deliveriesWhen('state=retrying', (found) => found.length === 1)
      receiver.intercept = undefined
      await stage.api('GET', '/2/users/me')
      return { webhookId, delivered: delivered!, retrying: retrying!, token }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()

/** A proxy that serves a server below a path, and keeps the name by which it is called. */
export async function startPrefixProxy(prefix: string, origin: string) {
  const { port } = new URL(origin)
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url!.startsWith(prefix) ? incoming.url!.slice(prefix.length) : '/nowhere'
    const passed = request({ port, path, method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Goes on with Tab until something of this accessible name has the focus. */
export async function tabTo(page: Page, name: string) {
  for (let presses = 0; presses < 160; presses++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement | null
      return element?.ariaLabel ?? element?.labels?.[0]?.textContent ?? element?.textContent
    })
    if (focused?.trim() === name) return
  }
  assert.fail(`Tab does not lead to ${name}`)
}

/** Checks a screen at three sizes in both schemes, and takes its picture where that is asked for. */
export async function look(page: Page, name: string) {
  for (const width of [320, 768, 1440])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      const path = process.env.POSTERN_TEST_SCREENSHOTS
      if (path) await page.screenshot({ path: `${path}/console-${name}-${width}-${colorScheme}.png`, fullPage: true })
      assert.equal(await page.locator('html').evaluate((root) => root.scrollWidth), width, `${name} scrolls sideways at ${width}`)
      await page.evaluate(axe.source)
      const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
      assert.deepEqual(
        violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
        [],
        `${name} at ${width}, ${colorScheme}`,
      )
    }
}
