import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { answerChallenge, findChallengeSecret, verifySignature } from '../src/fetch.ts'
import { OTHER_SECRET, SECRET, signed } from './stage/signed.ts'

const body = '{"data":{}}'

/** The text of a module and of all that it imports, by URL. */
function modulesOf(url: URL, found = new Map<string, string>()): Map<string, string> {
  if (found.has(url.href)) return found
  const text = readFileSync(url, 'utf8')
  found.set(url.href, text)
  for (const [, name] of text.matchAll(/from '(\.[^']+)'/g)) modulesOf(new URL(name!, url), found)
  return found
}

test('nothing that the fetch entry imports names a module or a global of Node', () => {
  const modules = modulesOf(new URL('../src/fetch.ts', import.meta.url))
  assert.ok(modules.size > 10)
  for (const [url, text] of modules) {
    const imports = [...text.matchAll(/from '([^']+)'/g)].map((match) => match[1]!)
    assert.deepEqual(
      imports.filter((name) => !name.startsWith('.')),
      [],
      url,
    )
    assert.doesNotMatch(text, /\b(Buffer|process|require|setImmediate|__dirname)\b/, url)
  }
})

test('a header that is not a string, or is no signature, resolves to false', async () => {
  for (const header of [undefined, null, 7, {}, [signed(body)], `sha256=${'é'.repeat(43)}=`, `sha256=${'A'.repeat(42)}B=`])
    assert.equal(await verifySignature({ header, body, secrets: [SECRET] }), false)
})

test('a body that was parsed, or is absent, resolves to false', async () => {
  for (const parsed of [JSON.parse(body), undefined, null, 7])
    assert.equal(await verifySignature({ header: signed(body), body: parsed, secrets: [SECRET] }), false)
})

test('bytes inside a larger buffer are verified alone, with any one of several secrets', async () => {
  const larger = Buffer.from(`xx${body}yy`)
  for (const secret of [SECRET, OTHER_SECRET])
    assert.equal(
      await verifySignature({ header: signed(body, secret), body: larger.subarray(2, -2), secrets: [SECRET, OTHER_SECRET] }),
      true,
    )
})

test('secrets that would let anybody sign reject with a TypeError', async () => {
  for (const secrets of [[], [''], SECRET, undefined] as string[][]) {
    await assert.rejects(verifySignature({ header: signed(body), body, secrets }), TypeError)
    await assert.rejects(findChallengeSecret({ header: signed(body), query: '', secrets }), TypeError)
  }
  await assert.rejects(answerChallenge({ crcToken: '0123456789abcdefg', secret: '' }), TypeError)
})
