// Why an event did not arrive, on the page that a newcomer opens first.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { call } from '../../stage/call.ts'
import { authorization } from '../../stage/oauth-client.ts'
import type { demoApp } from '../../stage/postern.ts'
import { openBrowser } from './browser.ts'
import { app, heading, look, setConsole } from './console-stage.ts'

type Seen = Awaited<ReturnType<typeof setConsole>>

/** A call that a user of the demo signs. */
async function as(stage: Seen['stage'], user: string, path: string, json: unknown = {}) {
  const url = `${stage.origins.base_url}${path}`
  const credentials = {
    consumer_key: app.consumer_key!,
    consumer_secret: app.consumer_secret!,
    oauth_token: `${user}-demo-access-token`,
    oauth_token_secret: 'demo-access-token-secret-for-development-only',
  }
  const header = authorization({ ...credentials, method: 'POST', url, nowMs: stage.clock.now() })
  const answer = await call(url, 'POST', { headers: { authorization: header }, json })
  assert.ok(answer.status < 300, answer.text)
}

const message = (stage: Seen['stage'], from: string, to: string) =>
  as(stage, from, `/2/dm_conversations/with/${to}/messages`, { text: 'Supper at the pier?' })

/** A webhook with subscriptions to messages that these users receive. */
async function subscribed({ stage, receiver }: Seen, users: readonly string[]) {
  const token = await stage.token(app as typeof demoApp)
  const webhookId = await stage.register(receiver.url, token)
  for (const user_id of users) await stage.subscribe(webhookId, token, { event_type: 'dm.received', filter: { user_id } })
  return { webhookId, token }
}

/** Opens the newest row of the feed that this link is in. */
async function openFromFeed({ page, url }: Seen, link: string | RegExp) {
  await page.goto(url())
  await page.getByRole('row').filter({ hasText: link }).first().getByRole('link').first().click()
}

suite('the console says why an event did not arrive', () => {
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  test('no subscription matches: the page of the call says for whom the subscriptions are', async () => {
    await using seen = await setConsole(browser)
    const { page, stage } = seen
    await subscribed(seen, ['101', '103'])
    await message(stage, '101', '104')
    await page.goto(seen.url('?outcome=unmatched&user=104'))
    await page.getByText(/nobody got .*dm\.received/).waitFor()
    await look(page, 'feed-unmatched')
    await openFromFeed(seen, /with\/104\/messages.*Demo, Ada \(101\)/)
    await page.getByText('Answered 201, but nobody got the 2 events that it would have caused, for the reasons below.').waitFor()
    await page.getByText('dm.received about Harbour Office (104) went to nobody.').waitFor()
    const misses = page.getByRole('listitem').filter({ hasText: 'the subscription' })
    assert.deepEqual(
      (await misses.allTextContents()).map((text) => text.replace(/^.*?\d+ (?=is)/, '')),
      ['is for user 101, not 104.', 'is for user 103, not 104.'],
    )
    await page.getByText('dm.sent about Ada (101)').waitFor()
    await look(page, 'cause-unmatched')
    assert.deepEqual(seen.complaints, [])
  })

  test('the user ended the consent: the pages of the call and of the webhook say so', async () => {
    await using seen = await setConsole(browser)
    const { page, stage, url } = seen
    const { webhookId } = await subscribed(seen, ['102'])
    await as(stage, '102', '/1.1/oauth/invalidate_token')
    await message(stage, '101', '102')
    await openFromFeed(seen, /with\/102\/messages/)
    const ended = 'user 102 ended the consent or never gave it, and must grant the app OAuth 1.0a with the access read_write_dm'
    await page.getByText(`has no effect: ${ended}`).waitFor()
    await page.goto(url(`webhooks/${webhookId}`))
    await page.getByRole('row').filter({ hasText: 'dm.received' }).getByText(`without effect: ${ended}`).waitFor()
    await look(page, 'cause-consent')
    assert.deepEqual(seen.complaints, [])
  })

  test('the callback answers 401: its own words are there, and the consumer secret is named before the dialect', async () => {
    await using seen = await setConsole(browser)
    const { page, stage, receiver } = seen
    await subscribed(seen, ['101'])
    receiver.intercept = ({ method }, response) => {
      if (method !== 'POST') return false
      response.req.resume().once('end', () => response.writeHead(401).end('{"error":"bad signature"}'))
      return true
    }
    await message(stage, '104', '101')
    await stage.deliveriesWhen('state=retrying', (found) => found.length === 1)
    await openFromFeed(seen, /Delivery dm\.received/)
    await page.getByText('The callback answered: {"error":"bad signature"}').waitFor()
    await page
      .getByText(
        /^Not delivered yet, after 1 attempt: the callback answered 401; if it checks the signature, compare the consumer secret and the bytes that it signs\. The next follows in/,
      )
      .waitFor()
    const hint = page.getByText(/compare the consumer secret.*POSTERN_DIALECT=x/)
    await hint.waitFor()
    const [delivery] = await stage.deliveriesWhen('state=retrying', (found) => found.length === 1)
    stage.clock.advance(Date.parse(delivery!.next_try_at!) - stage.clock.now())
    await page.getByText('Attempt 2', { exact: true }).waitFor()
    assert.equal(await hint.count(), 1)
    await look(page, 'cause-refused')
    assert.deepEqual(seen.complaints, [])
  })

  test('the webhook is invalid: the page of the event says since when and why, and leads to where it is challenged', async () => {
    await using seen = await setConsole(browser)
    const { page, stage, receiver } = seen
    const { webhookId, token } = await subscribed(seen, ['104'])
    receiver.intercept = ({ method }, response) =>
      method === 'GET' && Boolean(response.writeHead(200).end('{"response_token":"sha256=no"}'))
    await stage.api('PUT', `/2/webhooks/${webhookId}`, { token })
    await message(stage, '102', '104')
    await stage.deliveriesWhen('state=not_sent', (found) => found.length === 1)
    await openFromFeed(seen, /Delivery dm\.received/)
    await page.getByText(/^Not sent: the webhook was invalid at .* UTC\. Once it passes a challenge, resend the event\./).waitFor()
    await page.getByText(/^The webhook is invalid: .* Its last challenge failed at .* UTC: .*response_token/).waitFor()
    await look(page, 'cause-invalid')
    await page.getByRole('link', { name: 'the page of the webhook' }).click()
    await heading(page, `Webhook ${webhookId}`)
    assert.deepEqual(seen.complaints, [])
  })

  test('the consent ended before a retry: the page of the event leads to the entry of the audit log, and to what the user grants', async () => {
    await using seen = await setConsole(browser)
    const { page, stage, receiver } = seen
    await subscribed(seen, ['101'])
    receiver.answerPosts(500)
    await message(stage, '102', '101')
    const [delivery] = await stage.deliveriesWhen('state=retrying', (found) => found.length === 1)
    await stage.operator('POST', '/operator/tokens/revoke', { user_id: '101', app_id: app.id })
    stage.clock.advance(Date.parse(delivery!.next_try_at!) - stage.clock.now())
    await stage.deliveriesWhen('state=not_sent', (found) => found.length === 1)
    await openFromFeed(seen, /Delivery dm\.received/)
    await page.getByText(/^Not sent: the consent of Ada \(101\) had ended by/).waitFor()
    await look(page, 'cause-consent-revoked')
    await page.getByRole('link', { name: 'the page to revoke' }).click()
    await page.getByText('The user has granted no app anything.').waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'the audit log' }).click()
    await heading(page, 'Audit log')
    await page.getByRole('row', { name: /revokeTokens/ }).waitFor()
    assert.deepEqual(seen.complaints, [])
  })

  test('the callback is busy: the page of the event says that its Retry-After set the time', async () => {
    await using seen = await setConsole(browser)
    const { page, stage, receiver } = seen
    await subscribed(seen, ['103'])
    receiver.answerPosts(503, { 'retry-after': '10800' })
    await message(stage, '102', '103')
    await stage.deliveriesWhen('state=retrying', (found) => found.length === 1)
    await openFromFeed(seen, /Delivery dm\.received/)
    await page.getByText(/^Attempt 2 follows in .*The callback's Retry-After set this time\. At most one hour of it counts/).waitFor()
    await look(page, 'cause-retrying')
    assert.deepEqual(seen.complaints, [])
  })
})
