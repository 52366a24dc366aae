import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { auditedWhen, bearerStatuses, HOLDS, REVOKED, signedStatuses } from '../stage/operator-calls.ts'
import { setPair } from '../stage/pair.ts'
import { demoApp, otherApp, type Stage, setStage } from '../stage/postern.ts'
import { ada, askForSignIn, atApprovalPage, exchange, pinOf } from '../stage/sign-in.ts'
import { adas, graces, othersAdas, signedInSeed } from '../stage/signed-calls.ts'

const revoke = async (stage: Stage, json: Record<string, string>) => {
  const answer = await stage.operator('POST', '/operator/tokens/revoke', json)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.revoked
}

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: one access token is revoked everywhere, and no other`, async () => {
    await using pair = await setPair({ flavour, seed: signedInSeed })
    for (const held of [adas, graces, othersAdas]) assert.deepEqual(await signedStatuses(pair, held), HOLDS)
    assert.equal(await revoke(pair.one, { token: adas.oauth_token }), 1)
    assert.deepEqual(await signedStatuses(pair, adas), REVOKED)
    for (const held of [graces, othersAdas]) assert.deepEqual(await signedStatuses(pair, held), HOLDS)
    assert.equal(await revoke(pair.other, { token: adas.oauth_token }), 0)
  })

  test(`${flavour}: a bearer token is revoked everywhere, and the app gets a new one`, async () => {
    await using pair = await setPair({ flavour })
    const token = await pair.one.token()
    assert.deepEqual(await bearerStatuses(pair, token), [200, 200])
    assert.equal(await revoke(pair.other, { token }), 1)
    assert.deepEqual(await bearerStatuses(pair, token), [401, 401])
    assert.notEqual(await pair.one.token(), token)
  })

  test(`${flavour}: the tokens of a user are revoked everywhere, of every app, and no bearer token`, async () => {
    await using pair = await setPair({ flavour, seed: signedInSeed })
    const token = await pair.one.token()
    for (const held of [adas, othersAdas]) assert.deepEqual(await signedStatuses(pair, held), HOLDS)
    assert.equal(await revoke(pair.one, { user_id: ada.id }), 2)
    for (const held of [adas, othersAdas]) assert.deepEqual(await signedStatuses(pair, held), REVOKED)
    assert.deepEqual(await signedStatuses(pair, graces), HOLDS)
    assert.deepEqual(await bearerStatuses(pair, token), [200, 200])
  })

  test(`${flavour}: the tokens of an app are revoked everywhere, its bearer token too, and none of another app`, async () => {
    await using pair = await setPair({ flavour, seed: signedInSeed })
    const [token, foreign] = [await pair.one.token(), await pair.one.token(otherApp)]
    for (const held of [adas, graces]) assert.deepEqual(await signedStatuses(pair, held), HOLDS)
    assert.deepEqual(await bearerStatuses(pair, token), [200, 200])
    assert.equal(await revoke(pair.other, { app_id: demoApp.id }), 3)
    for (const held of [adas, graces]) assert.deepEqual(await signedStatuses(pair, held), REVOKED)
    assert.deepEqual(await bearerStatuses(pair, token), [401, 401])
    assert.deepEqual(await signedStatuses(pair, othersAdas), HOLDS)
    assert.deepEqual(await bearerStatuses(pair, foreign), [200, 200])
  })

  test(`${flavour}: the tokens that an app has of a user are revoked everywhere, and its bearer token holds`, async () => {
    await using pair = await setPair({ flavour, seed: signedInSeed })
    const token = await pair.one.token()
    assert.deepEqual(await signedStatuses(pair, adas), HOLDS)
    assert.equal(await revoke(pair.one, { user_id: ada.id, app_id: demoApp.id }), 1)
    assert.deepEqual(await signedStatuses(pair, adas), REVOKED)
    for (const held of [graces, othersAdas]) assert.deepEqual(await signedStatuses(pair, held), HOLDS)
    assert.deepEqual(await bearerStatuses(pair, token), [200, 200])
  })

  test(`${flavour}: a sign-in that was allowed and not exchanged ends with the tokens`, async () => {
    await using pair = await setPair({ flavour, seed: signedInSeed })
    const holders: Record<string, string>[] = [{ user_id: ada.id }, { app_id: demoApp.id }, { user_id: ada.id, app_id: demoApp.id }]
    for (const json of holders) {
      const asked = await askForSignIn(pair.one, demoApp, 'oob')
      const page = await atApprovalPage(pair.one).decide(asked.oauth_token, 'allow')
      await revoke(pair.other, json)
      const refused = await exchange(pair.one, demoApp, asked, pinOf(page.text))
      assert.deepEqual([refused.status, refused.body.errors[0].code], [401, 89])
    }
  })
}

test('a token goes with nothing else, something must be given, and neither log nor audit log holds a token', async () => {
  await using stage = await setStage({ seed: signedInSeed })
  const refused = async (json: unknown) => {
    const answer = await stage.operator('POST', '/operator/tokens/revoke', json)
    assert.equal(answer.status, 400, answer.text)
    return answer.body.errors[0].message
  }
  assert.match(await refused({}), /at least one of .*token.*user_id.*app_id.* is required/)
  assert.match(await refused({ token: 'x', user_id: '1' }), /at most one of/)
  assert.match(await refused({ token: 'x', app_id: '1' }), /at most one of/)
  assert.equal(await revoke(stage, { token: adas.oauth_token }), 1)
  const { text } = await auditedWhen(stage, 'revokeTokens')
  for (const written of [text, JSON.stringify(stage.log)]) assert.ok(!written.includes(adas.oauth_token))
})
