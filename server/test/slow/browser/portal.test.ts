import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { OPERATOR_TOKEN } from '../../stage/postern.ts'
import { openBrowser } from './browser.ts'
import { app, heading, look, setConsole } from './console-stage.ts'

suite('the portal of an app in a real browser', () => {
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  test('a link opens the portal of its app once: its deliveries, webhooks and acts, and nothing else', async () => {
    await using seen = await setConsole(browser)
    const { page, stage, url, receiver, complaints } = seen
    const { delivered, webhookId } = await seen.fill()
    const other = await stage.operator('POST', '/operator/apps', { name: 'Secret competitor' })
    assert.equal(other.status, 200)
    const link: string = (await stage.operator('POST', `/operator/apps/${app.id}/portal`)).body.data.url
    const asked: string[] = []
    page.on('request', (request) => asked.push(`${request.url()} ${JSON.stringify(request.headers())}`))
    await page.goto(link)
    await heading(page, 'Open the portal')
    assert.equal(page.url(), url('portal'))
    await look(page, 'portal-link')
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await heading(page, `Deliveries of ${app.name}`)
    await page.getByRole('link', { name: 'dm.received' }).first().waitFor()
    assert.deepEqual(await page.getByRole('navigation').getByRole('link').allInnerTexts(), ['Deliveries', 'Webhooks'])
    await page.getByText(`for ${app.name}`).waitFor()
    await look(page, 'portal')
    assert.ok(!asked.some((request) => request.includes(new URL(link).hash.slice(1))), 'the secret is in a request line or header')

    await page.getByRole('link', { name: 'dm.received' }).last().click()
    await heading(page, `Delivery of event ${delivered}`)
    await page.getByRole('button', { name: 'Resend' }).click()
    await page.getByText('It is sent again.').waitFor()
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByText('passed').waitFor()
    await page.getByRole('link', { name: receiver.url, exact: true }).click()
    await heading(page, `Webhook ${webhookId}`)
    await look(page, 'portal-webhook')
    assert.equal(await page.getByRole('button', { name: /^(Try a challenge|Send$)/ }).count(), 0)
    await page.getByRole('button', { name: 'Resend the failed deliveries' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('0 deliveries would be sent again.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Count' }).click()
    await page.getByRole('button', { name: 'Replay 2' }).click()
    await page.getByText('It is complete: 2 of 2 delivered, 0 failed.').waitFor()
    assert.ok(!(await page.content()).includes('Secret competitor'))
    await page.goto(url('apps'))
    await heading(page, 'No such page')

    await page.goto(url())
    await page.getByRole('button', { name: 'Rotate the consumer secret' }).click()
    const secret = await page.getByRole('dialog').locator('dd code').nth(1).innerText()
    await stage.token({ consumer_key: app.consumer_key!, consumer_secret: secret })
    assert.deepEqual(complaints, [])

    await page.goto(link)
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await page.getByText(/used already, has expired, or was ended.*ask the operator for a new one/).waitFor()
  })

  test('what comes is shown without the feed, and an end says what to do, until an operator signs in', async () => {
    await using seen = await setConsole(browser)
    const { page, stage } = seen
    await seen.fill()
    const link: string = (await stage.operator('POST', `/operator/apps/${app.id}/portal`)).body.data.url
    const feeds: string[] = []
    page.on('request', (request) => request.url().endsWith('/operator/feed') && feeds.push(request.url()))
    await page.goto(link)
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    const rows = page.locator('tbody tr')
    await stage.until(async () => (await rows.count()) === 2)
    await stage.publish({ text: 'later' })
    await stage.until(async () => (await rows.count()) === 3)
    assert.deepEqual(feeds, [])
    await stage.operator('DELETE', `/operator/apps/${app.id}/portal`)
    await heading(page, 'The portal is closed')
    await page.getByText('Ask the operator for a new link').waitFor()
    await look(page, 'portal-closed')

    // From another machine nobody is an operator without a token.
    await page.setExtraHTTPHeaders({ 'x-forwarded-for': '192.0.2.7' })
    await page.reload()
    await heading(page, 'The portal is closed')
    await page.getByRole('button', { name: 'Sign in as an operator' }).click()
    await page.getByLabel('Operator token').fill(OPERATOR_TOKEN)
    await page.keyboard.press('Enter')
    await heading(page, 'Feed')
    await seen.context.clearCookies()
    await page.reload()
    await heading(page, 'Sign in')
  })
})
