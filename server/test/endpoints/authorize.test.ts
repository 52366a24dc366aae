import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../stage/call.ts'
import { demoApp, setStage } from '../stage/postern.ts'
import { askForSignIn, atApprovalPage, CALLBACK, signIn, signInSeed } from '../stage/sign-in.ts'

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
