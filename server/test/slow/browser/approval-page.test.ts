import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { startCallback } from '../../stage/callback-servers.ts'
import { asking, exchangeCode } from '../../stage/oauth2.ts'
import { demoApp } from '../../stage/postern.ts'
import { ada, atApprovalPage, grace, PASSWORD } from '../../stage/sign-in.ts'
import { openBrowser } from './browser.ts'
import { CUSTOM_CALLBACK, logIn, setVisitor, type Visitor } from './visitor.ts'

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

/** Signs Ada in, for an app that has no place to be called back at. */
async function signInByPin(visitor: Visitor) {
  const asked = await visitor.open({ at: 'oob' })
  await logIn(visitor.page)
  const pin = await visitor.page.locator('.pin').textContent()
  assert.match(pin!, /^\d{7}$/)
  assert.equal(await visitor.exchanged(asked, pin), ada.username)
}

suite('the approval page in a real browser', () => {
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  for (const javaScriptEnabled of [true, false])
    test(`Allow redirects to the callback with a verifier that gives a token, ${javaScriptEnabled ? 'without violating the policy' : 'without JavaScript'}`, async () => {
      await using visitor = await setVisitor(browser, { javaScriptEnabled })
      const asked = await visitor.open({ more: '&screen_name=ada' })
      assert.equal(await heading(visitor.page), 'Allow Demo to use your account?')
      assert.equal(await visitor.page.getByLabel('Username').inputValue(), 'ada')
      await logIn(visitor.page)
      const came = await visitor.calledBack()
      assert.deepEqual([...came.keys()], ['kept', 'oauth_token', 'oauth_verifier'])
      assert.equal(came.get('oauth_token'), asked.oauth_token)
      assert.equal(await visitor.exchanged(asked, came.get('oauth_verifier')), ada.username)
      assert.deepEqual(visitor.complaints, [])
    })

  for (const javaScriptEnabled of [true, false])
    test(`Allow redirects to the callback with a code of OAuth 2.0 that gives a token, ${javaScriptEnabled ? 'without violating the policy' : 'without JavaScript'}`, async () => {
      await using visitor = await setVisitor(browser, { javaScriptEnabled })
      const { page, stage, callback } = visitor
      const app = await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { rotate_oauth2_client_secret: {} })
      const client = { id: app.body.data.oauth2_client_id, secret: app.body.data.oauth2_client_secret }
      const request = asking({ client_id: client.id, redirect_uri: callback, scope: 'tweet.read users.read dm.read' })
      await page.goto(`${stage.origins.base_url}/i/oauth2/authorize?${new URLSearchParams(request)}`)
      assert.equal(await heading(page), 'Allow Demo to use your account?')
      assert.ok(await page.getByText('See your direct messages').isVisible())
      await logIn(page)
      const came = await visitor.calledBack()
      assert.deepEqual([...came.keys()], ['kept', 'state', 'code', 'iss'])
      const given = await exchangeCode(stage, came.get('code')!, { redirect_uri: callback }, client)
      assert.equal(given.status, 200, given.text)
      assert.equal((await stage.api('GET', '/2/users/me', { token: given.body.access_token })).body.data.username, ada.username)

      await page.goto(`${stage.origins.base_url}/i/oauth2/authorize?${new URLSearchParams(request)}`)
      await page.getByRole('link', { name: 'Use another account' }).click()
      assert.ok(await page.getByLabel('Password').isVisible())
      await page.getByRole('button', { name: 'Deny' }).click()
      assert.equal((await visitor.calledBack()).get('error'), 'access_denied')
      assert.deepEqual(visitor.complaints, [])
    })

  test('Deny redirects to the callback with only `denied`, even if nothing was typed in', async () => {
    await using visitor = await setVisitor(browser)
    const asked = await visitor.open()
    await visitor.page.getByRole('button', { name: 'Deny' }).click()
    assert.deepEqual(
      [...(await visitor.calledBack())],
      [
        ['kept', '1'],
        ['denied', asked.oauth_token],
      ],
    )
    assert.deepEqual(visitor.complaints, [])
  })

  test('after a wrong password the page shows the error at the field, keeps the username, and accepts the right one', async () => {
    await using visitor = await setVisitor(browser)
    const { page } = visitor
    const asked = await visitor.open()
    await logIn(page, ada.username, 'wrong')
    const password = page.getByLabel('Password')
    const saysWhy = page.getByRole('alert')
    assert.equal(await saysWhy.textContent(), 'The username and password do not match.')
    assert.equal(await password.getAttribute('aria-describedby'), await saysWhy.getAttribute('id'))
    await password.and(page.locator(':focus')).waitFor()
    assert.match(await page.title(), /^Error: /)
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    assert.equal(await visitor.exchanged(asked, (await visitor.calledBack()).get('oauth_verifier')), ada.username)
    assert.deepEqual(visitor.complaints, [])
  })

  test('with oob the page shows a PIN that gives a token; Deny ends at a page', async () => {
    await using visitor = await setVisitor(browser)
    await signInByPin(visitor)
    await visitor.open({ at: 'oob' })
    await visitor.page.getByRole('button', { name: 'Deny' }).click()
    assert.equal(await heading(visitor.page), 'You have denied Demo')
    assert.deepEqual(visitor.complaints, [])
  })

  test('an app that was granted before is redirected to at once only by authenticate, if its setting is on and no password is forced', async () => {
    await using visitor = await setVisitor(browser)
    const { page } = visitor
    await visitor.open({ path: 'authenticate' })
    assert.equal(await page.getByLabel('Password').isVisible(), true)
    await signInByPin(visitor)

    const asked = await visitor.open({ path: 'authenticate' })
    assert.equal(await visitor.exchanged(asked, (await visitor.calledBack()).get('oauth_verifier')), ada.username)

    await visitor.open()
    assert.equal(await page.getByText('Signed in as').isVisible(), true)
    await visitor.open({ path: 'authenticate', more: '&force_login=true' })
    assert.equal(await page.getByLabel('Password').isVisible(), true)
    await visitor.stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { sign_in_with_service: false })
    await visitor.open({ path: 'authenticate' })
    assert.equal(await page.getByText('Signed in as').isVisible(), true)
    assert.deepEqual(visitor.complaints, [])
  })

  test('no policy blocks a callback with a custom scheme', async () => {
    await using visitor = await setVisitor(browser)
    const { page } = visitor
    const asked = await visitor.open({ at: CUSTOM_CALLBACK })
    const leaves = page.waitForRequest((request) => request.url().startsWith(CUSTOM_CALLBACK))
    await logIn(page)
    const way = new URL((await leaves).url()).searchParams
    assert.equal(await visitor.exchanged(asked, way.get('oauth_verifier')), ada.username)
    assert.deepEqual(visitor.complaints, [])
  })

  test('the page can be used with the keyboard: fields, Allow and Deny in order, and Enter in a field allows', async () => {
    await using visitor = await setVisitor(browser)
    const { keyboard } = visitor.page
    const press = async (...keys: string[]) => {
      for (const key of keys) await keyboard.press(key)
    }
    const asked = await visitor.open()
    await press('Tab')
    await keyboard.type(ada.username)
    await press('Tab')
    await keyboard.type(PASSWORD)
    await press('Enter')
    assert.equal(await visitor.exchanged(asked, (await visitor.calledBack()).get('oauth_verifier')), ada.username)

    await visitor.open()
    await press('Tab', 'Tab', 'Enter')
    assert.ok((await visitor.calledBack()).has('oauth_verifier'))
    await visitor.open()
    await press('Tab', 'Tab', 'Tab', 'Enter')
    assert.ok((await visitor.calledBack()).has('denied'))
  })

  test('a user who is signed in can use another account, and the app gets that one', async () => {
    await using visitor = await setVisitor(browser)
    const { page } = visitor
    await signInByPin(visitor)
    const asked = await visitor.open()
    assert.match((await page.locator('.who').textContent())!, /Signed in as Ada @ada/)
    await page.getByRole('link', { name: 'Use another account' }).click()
    await logIn(page, grace.username)
    assert.equal(await visitor.exchanged(asked, (await visitor.calledBack()).get('oauth_verifier')), grace.username)
    await visitor.open()
    assert.match((await page.locator('.who').textContent())!, /Signed in as Grace @grace/)
  })

  test('the form of another browser is rejected, and grants nothing', async () => {
    await using visitor = await setVisitor(browser)
    const asked = await visitor.open()
    const proof = await visitor.page.locator('[name=proof]').getAttribute('value')
    await using other = await browser.newContext()
    const page = await other.newPage()
    await page.goto(visitor.to(asked.oauth_token))
    await page.locator('[name=proof]').evaluate((field, value) => field.setAttribute('value', value!), proof)
    await logIn(page)
    assert.equal(await heading(page), 'This form can no longer be used')
    await page.getByRole('link', { name: 'Begin again' }).click()
    assert.equal(await heading(page), 'Allow Demo to use your account?')
  })

  test('a page of another origin cannot frame the approval page', async () => {
    await using visitor = await setVisitor(browser)
    const asked = await visitor.open()
    await using framing = await startCallback(
      (_request, response) =>
        void response.setHeader('content-type', 'text/html').end(`<!doctype html><iframe src="${visitor.to(asked.oauth_token)}"></iframe>`),
    )
    await visitor.page.goto(framing.origin)
    const [, frame] = visitor.page.frames()
    assert.equal(await frame!.locator('form').count(), 0)
    assert.match(visitor.complaints.join(), /frame-ancestors/)
  })

  test('axe finds no serious problem on any page, light or dark, and none scrolls sideways at 320 pixels', async () => {
    await using visitor = await setVisitor(browser, { viewport: { width: 320, height: 640 } })
    const { page, stage } = visitor
    const look = async (shown: string) => {
      assert.equal(await heading(page), shown)
      assert.equal(await page.locator('html').evaluate((root) => root.scrollWidth), 320, shown)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.evaluate(axe.source)
        const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
        const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
        assert.deepEqual(
          grave.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
          [],
          `${shown} (${colorScheme})`,
        )
      }
    }
    const name = `${'Bundesausbildungsförderungsgesetz'.repeat(2)} <b>&amp;</b> שלום`
    await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { name })
    const question = `Allow ${name} to use your account?`
    const stranger = atApprovalPage(stage)
    const asked = await visitor.open()
    await look(question)
    for (let tries = 0; tries < 10; tries++) {
      const refused = await stranger.decide(asked.oauth_token, 'allow', { username: grace.username, password: 'wrong' })
      assert.equal(refused.status, 401)
    }
    await logIn(page, grace.username)
    assert.match((await page.getByRole('alert').textContent())!, /^Too many failed sign-ins/)
    await look(question)
    await logIn(page, ada.username, 'wrong')
    assert.match((await page.getByRole('alert').textContent())!, /do not match/)
    await look(question)
    await visitor.open({ at: 'oob' })
    await logIn(page)
    await look(`Type this PIN into ${name}`)
    await visitor.open({ at: 'oob' })
    await look(question)
    await page.getByRole('button', { name: 'Deny' }).click()
    await look(`You have denied ${name}`)
    await page.goto(visitor.to('never-was'))
    await look('Whoa there!')
    await visitor.open({ more: '&oauth_callback=elsewhere' })
    await look('Invalid Request')
    await visitor.open()
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Deny' }).click()
    await look('This form can no longer be used')
    assert.deepEqual(visitor.complaints, [])
  })
})
