import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeBase64 } from '../../src/endpoints/media/upload/received-file.ts'

async function decoded(...pieces: string[]): Promise<string> {
  const bytes: Uint8Array[] = []
  for await (const piece of decodeBase64(
    'media',
    (async function* () {
      for (const text of pieces) yield Buffer.from(text)
    })(),
  ))
    bytes.push(piece)
  return Buffer.concat(bytes).toString()
}

const refused = (...pieces: string[]) => assert.rejects(decoded(...pieces), /must be base64/)

test('base64 is decoded wherever it is cut, with padding and without', async () => {
  for (const text of ['cG9zdGVybg==', 'cG9zdGVybg']) {
    assert.equal(await decoded(text), 'postern')
    for (let cut = 0; cut <= text.length; cut += 1) assert.equal(await decoded(text.slice(0, cut), text.slice(cut)), 'postern')
  }
  assert.equal(await decoded('cG9z\r\ndGVy\nbg==\n'), 'postern')
})

test('padding has two characters at most, and nothing follows it', async () => {
  await refused('cG9zdGVybg===')
  await refused('cG9zdGVybg=', '==')
  await refused('cG9zdGVybg==', '=')
  await refused('cG9zdGVybg==', 'cG9z')
  await refused('cG9=dGVy')
})

test('a megabyte of padding is refused in a time that grows with its length alone', async () => {
  const padding = '='.repeat(1024 * 1024)
  await refused(padding)
  await refused(`${padding}A`)
  await refused(`A${padding}A`)
})
