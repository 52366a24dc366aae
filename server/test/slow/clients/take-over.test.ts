import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { takeOver } from '../../../../postern/src/take-over/take-over.ts'
import { startUpstream } from '../../../../postern/test/take-over/upstream.ts'

const require = createRequire(import.meta.url)

test('node-fetch, in cross-fetch, reaches the server that a host leads to', async () => {
  await using upstream = await startUpstream()
  await using _over = takeOver({ 'api.x.com': upstream.origin })
  const crossFetch = require('cross-fetch') as typeof fetch
  const { url } = (await (await crossFetch('https://api.x.com/lib')).json()) as { url: string }
  assert.equal(url, '/lib')
})
