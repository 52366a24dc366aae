import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setStage } from '../stage/postern.ts'
import { askForSignIn, atApprovalPage, signInSeed } from '../stage/sign-in.ts'

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
