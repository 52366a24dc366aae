import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorization } from '../stage/oauth-client.ts'
import { demoApp, setStage } from '../stage/postern.ts'

const credentials = { ...demoApp, oauth_token: '101-token-of-the-tests', oauth_token_secret: 'secret' }

const seed = {
  apps: [{ ...demoApp, permissions: 'read_write' as const }],
  users: [{ id: '101', username: 'ada' }],
  tokens: [{ consumer_key: demoApp.consumer_key, user_id: '101', oauth_token: credentials.oauth_token, oauth_token_secret: 'secret' }],
}

test('a post may weigh 280: a character 1, an emoji or a CJK character 2, a URL 23; and has no invalid characters', async () => {
  await using stage = await setStage({ seed })
  const url = `${stage.origins.base_url}/2/posts`
  const post = (text: string) =>
    stage.api('POST', '/2/posts', { json: { text }, headers: { authorization: authorization({ ...credentials, method: 'POST', url }) } })
  const link = `https://example.com/${'a'.repeat(100)}`
  for (const text of ['a'.repeat(280), '潮'.repeat(140), `${'b'.repeat(256)} ${link}`, '🌊'.repeat(139)])
    assert.equal((await post(text)).status, 201, text.slice(0, 20))
  for (const text of [
    'a'.repeat(281),
    '潮'.repeat(141),
    `${'b'.repeat(257)} ${link}`,
    '🌊'.repeat(141),
    `tide\uffff`,
    'a'.repeat(20_000),
  ]) {
    const { status, body } = await post(text)
    assert.deepEqual([status, Object.keys(body.errors[0].parameters)], [400, ['text']], text.slice(0, 20))
  }
  const again = await post('a'.repeat(280))
  assert.deepEqual([again.status, again.body.detail], [403, 'You are not allowed to create a post with duplicate content.'])
})
