import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, setStage } from '../stage/postern.ts'
import { ada, askForSignIn, atApprovalPage, CALLBACK, exchange, signed, signIn, signInSeed } from '../stage/sign-in.ts'

for (const flavour of databasesOf(import.meta)) {
  suite(`sign-in on ${flavour}`, () => {
    test('a user who allows an app is redirected to it with a verifier, which gives the access token', async () => {
      await using stage = await setStage({ flavour, seed: signInSeed })
      const asked = await askForSignIn(stage)
      const back = await atApprovalPage(stage).decide(asked.oauth_token, 'allow')
      assert.equal(back.status, 302, back.text)
      const way = new URL(back.headers.get('location')!)
      assert.equal(way.origin + way.pathname, CALLBACK)
      assert.equal(way.searchParams.get('oauth_token'), asked.oauth_token)
      const answer = await exchange(stage, demoApp, asked, way.searchParams.get('oauth_verifier')!)
      assert.equal(answer.status, 200, answer.text)
      assert.match(answer.text, /^oauth_token=101-[A-Za-z0-9]{40}&oauth_token_secret=[A-Za-z0-9]{45}&user_id=101&screen_name=ada$/)
      assert.equal(answer.headers.get('content-type'), 'text/html;charset=utf-8')
    })

    test('an app acts for the user until the token is revoked, and not from the next request on', async () => {
      await using stage = await setStage({ flavour, seed: signInSeed })
      const credentials = await signIn(stage)
      const me = await signed(stage, 'GET', '/2/users/me', credentials)
      assert.deepEqual(me.body, { data: { id: ada.id, name: ada.name, username: ada.username } })
      assert.equal(me.headers.get('x-access-level'), 'read-write-directmessages')
      const revoked = await signed(stage, 'POST', '/1.1/oauth/invalidate_token.json', credentials)
      assert.deepEqual(revoked.body, { access_token: credentials.oauth_token })
      for (const path of ['/2/users/me', '/1.1/account/verify_credentials.json']) {
        const refused = await signed(stage, 'GET', path, credentials)
        assert.deepEqual([refused.status, refused.body], [401, { errors: [{ code: 89, message: 'Invalid or expired token.' }] }])
      }
    })
  })
}
