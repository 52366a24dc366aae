import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../stage/call.ts'
import { demoApp, setStage } from '../stage/postern.ts'
import {
  ada,
  askForSignIn,
  atApprovalPage,
  CALLBACK,
  exchange,
  hidden,
  PASSWORD,
  pinOf,
  signed,
  signIn,
  signInSeed,
} from '../stage/sign-in.ts'

test('screen_name prefills the field of the username with its first 50 characters', async () => {
  await using stage = await setStage({ seed: signInSeed })
  const { oauth_token } = await askForSignIn(stage)
  const prefilled = async (screenName: string) => {
    const { text } = await atApprovalPage(stage).open(oauth_token, `&screen_name=${screenName}`)
    return /name="username" value="([^"]*)"/.exec(text)?.[1]
  }
  assert.equal(await prefilled('ada'), 'ada')
  assert.equal(await prefilled('a'.repeat(50)), 'a'.repeat(50))
  assert.equal(await prefilled('a'.repeat(51)), 'a'.repeat(50))
})

test('an app that was granted before is redirected to only by GET /oauth/authenticate, if it may sign in and no password is forced', async () => {
  await using stage = await setStage({ seed: signInSeed })
  const at = atApprovalPage(stage)
  const ask = async (callback?: string) => (await askForSignIn(stage, demoApp, callback)).oauth_token
  const statusOf = async (path: string, more = '', callback?: string) => (await at.open(await ask(callback), more, path)).status
  assert.equal(await statusOf('/oauth/authenticate'), 200, 'nothing is granted yet')
  assert.equal((await at.decide(await ask(), 'allow')).status, 302)
  await signIn(stage)
  assert.equal(await statusOf('/oauth/authorize'), 200)
  const token = await ask()
  const head = await call(`${stage.origins.base_url}/oauth/authenticate?oauth_token=${token}`, 'HEAD', { headers: { cookie: at.cookie() } })
  assert.equal(head.status, 200)
  const redirect = await at.open(token, '', '/oauth/authenticate')
  assert.equal(redirect.status, 302, 'the HEAD has not used up the request token')
  assert.ok(redirect.headers.get('location')?.startsWith(`${CALLBACK}?oauth_token=${token}&oauth_verifier=`))
  assert.equal(await statusOf('/oauth/authenticate', '&force_login=true'), 200)
  assert.equal(await statusOf('/oauth/authenticate', '', 'oob'), 200)
  await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { sign_in_with_service: false })
  assert.equal(await statusOf('/oauth/authenticate'), 200)
})

test('a callback that the app no longer has gets neither a verifier nor a denial: a page says so', async () => {
  await using stage = await setStage({ seed: signInSeed })
  const at = atApprovalPage(stage)
  const callbacksAre = (...callback_urls: string[]) => stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { callback_urls })
  const { oauth_token } = await askForSignIn(stage)
  const { text } = await at.open(oauth_token)
  await callbacksAre('https://demo.example/other')
  const form = { oauth_token, proof: hidden(text, 'proof'), username: ada.username, password: PASSWORD }
  for (const page of [
    await at.open(oauth_token),
    ...(await Promise.all(['allow', 'deny'].map((decision) => at.send({ ...form, decision })))),
  ]) {
    assert.equal(page.status, 400, page.text)
    assert.match(page.text, /The callback of this request is no longer one of the callback URLs of the app\./)
  }
  await callbacksAre(CALLBACK)
  const back = await at.send({ ...form, decision: 'allow' })
  assert.equal(back.status, 302, 'nothing was decided meanwhile')
  assert.ok(back.headers.get('location')?.startsWith(`${CALLBACK}?oauth_token=${oauth_token}&oauth_verifier=`))
  await callbacksAre()
  const { oauth_token: withPin } = await askForSignIn(stage, demoApp, 'oob')
  assert.match(pinOf((await at.decide(withPin, 'allow')).text), /^\d{7}$/, 'a PIN needs no callback')
})

test('a permission that is lowered between the approval and the exchange lowers the access of the token', async () => {
  await using stage = await setStage({ seed: signInSeed })
  const asked = await askForSignIn(stage, demoApp, 'oob')
  const pin = pinOf((await atApprovalPage(stage).decide(asked.oauth_token, 'allow')).text)
  await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { permissions: 'read' })
  const answer = await exchange(stage, demoApp, asked, pin)
  assert.equal(answer.status, 200, answer.text)
  const { oauth_token, oauth_token_secret } = Object.fromEntries(new URLSearchParams(answer.text))
  const me = await signed(stage, 'GET', '/2/users/me', { ...demoApp, oauth_token, oauth_token_secret })
  assert.equal(me.headers.get('x-access-level'), 'read')
})
