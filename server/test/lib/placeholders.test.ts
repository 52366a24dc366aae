import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isPlaceholder } from '../../src/lib/placeholders.ts'

const demo = JSON.parse(readFileSync(join(import.meta.dirname, '../../seeds/demo.json'), 'utf8'))

const placeholders = [
  ...['changeme', 'secret', 'your-consumer-secret', 'CHANGE_ME', 'changeMePlease', 'YOUR_API_KEY_HERE', 'my-app-secret-key'],
  ...['x'.repeat(16), 'xxxx-xxxx-xxxx-xxxx', 'XxXxXxXxXxXxXxXx', '0000000000000001', 'abcabcabcabcabcabc', 'abcdefghijklmnop'],
  ...[
    '1234567890123456',
    '0123456789abcdef',
    '<your consumer secret>',
    '$CONSUMER_SECRET',
    '{{ secret }}',
    'test-secret-123',
    '…',
    'a...b',
  ],
  ...['demo-consumer-key', 'example-consumer-secret-for-testing-only', 'PLACEHOLDER-1f83bd', 'password12345678'],
  ...[demo.apps[0].consumer_key, demo.apps[0].consumer_secret, demo.tokens[0].oauth_token, demo.tokens[0].oauth_token_secret],
]

for (const text of placeholders) test(`${text} is a placeholder`, () => assert.equal(isPlaceholder(text), true))

test('a secret that somebody made up is none, whatever it looks like', () => {
  for (const text of [
    'correct horse battery staple',
    'acme-production-7f3k',
    'key-one-of-the-tests',
    '4839201748392016',
    'b4c0ffee4a5e1dab',
  ])
    assert.equal(isPlaceholder(text), false, text)
})

test('a random secret is none, in whichever spelling', () => {
  for (let count = 0; count < 20_000; count += 1) {
    for (const text of [randomBytes(8).toString('hex'), randomBytes(12).toString('base64url'), randomBytes(36).toString('base64')])
      assert.equal(isPlaceholder(text), false, text)
  }
})
