import assert from 'node:assert/strict'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { startCallback } from '../../stage/callback-servers.ts'
import { demoApp, setStage } from '../../stage/postern.ts'
import { ada, askForSignIn, exchange, PASSWORD, signInSeed } from '../../stage/sign-in.ts'

export const CUSTOM_CALLBACK = signInSeed.apps![0]!.callback_urls!.find((url) => url.startsWith('demo-app:'))!

const WELCOME = '<!doctype html><title>App</title><link rel="icon" href="data:,"><h1>Welcome back</h1>'

/** What a browser says of answers that are no 2xx is no complaint. */
const isComplaint = (text: string) => !text.startsWith('Failed to load resource')

type Asked = Awaited<ReturnType<typeof askForSignIn>>

/** Somebody at the approval page with a real browser, sent there by an app that waits at a real callback. */
export async function setVisitor(browser: Browser, options: BrowserContextOptions = {}) {
  await using begun = new AsyncDisposableStack()
  const app = begun.use(await startCallback((_request, response) => void response.setHeader('content-type', 'text/html').end(WELCOME)))
  const callback = `${app.origin}/cb?kept=1`
  const [demo, ...others] = signInSeed.apps!
  const stage = begun.use(
    await setStage({ seed: { ...signInSeed, apps: [{ ...demo!, callback_urls: [...demo!.callback_urls!, callback] }, ...others] } }),
  )
  const context = await browser.newContext(options)
  begun.defer(() => context.close())
  const complaints: string[] = []
  context.on('console', (message) => message.type() === 'error' && isComplaint(message.text()) && complaints.push(message.text()))
  const page = await context.newPage()

  const to = (token: string, more = '', path = 'authorize') => `${stage.origins.base_url}/oauth/${path}?oauth_token=${token}${more}`
  const owned = begun.move()
  return {
    stage,
    page,
    callback,
    /** What the browser complained of, violations of the policy above all. */
    complaints,
    to,
    /** A request token whose page is open. */
    async open({
      at = callback,
      more = '',
      path = 'authorize',
      on = page,
    }: Partial<{ at: string; more: string; path: string; on: Page }> = {}) {
      const asked = await askForSignIn(stage, demoApp, at)
      await on.goto(to(asked.oauth_token, more, path))
      return asked
    },
    /** Where the app was called back, once it was. */
    async calledBack(): Promise<URLSearchParams> {
      await page.waitForURL((url) => url.origin === app.origin)
      return new URL(page.url()).searchParams
    },
    /** Whom the app may act for after the exchange. */
    async exchanged(asked: Asked, verifier: string | null): Promise<string | null> {
      const answer = await exchange(stage, demoApp, asked, verifier ?? '')
      assert.equal(answer.status, 200, answer.text)
      return new URLSearchParams(answer.text).get('screen_name')
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
export type Visitor = Awaited<ReturnType<typeof setVisitor>>

/** Types a username and a password in, and allows. */
export async function logIn(page: Page, username = ada.username, password = PASSWORD): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in and allow' }).click()
}
