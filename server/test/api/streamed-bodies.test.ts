import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { generalAreaOf } from '../../src/api/areas.ts'
import { fallbacksOf } from '../../src/api/http/fallbacks.ts'
import { createHost } from '../../src/api/http/http.ts'

test('only the bodies that are streamed pass by the check that large ones need, whatever else is multipart', async () => {
  const answer = (status: number) => ({ status, headers: {}, body: '' })
  const route = {
    path: '/2/media/upload',
    methods: ['POST'],
    bodyLimitBytes: 1024 * 1024,
    streams: true,
    refuseEarly: async () => answer(401),
    respond: async () => answer(200),
  }
  const fallbacks = fallbacksOf({ problemBaseUrl: 'https://api.example.com/2/problems' }, generalAreaOf)
  const host = createHost([route], fallbacks, pino({ level: 'silent' }))
  const port = await host.listen(0, '127.0.0.1')
  await using _ = { [Symbol.asyncDispose]: () => host.close() }
  const statusOf = async (type: string) => {
    const sent = { method: 'POST', headers: { 'content-type': type }, body: 'x'.repeat(100 * 1024) }
    return (await fetch(`http://127.0.0.1:${port}/2/media/upload`, sent)).status
  }
  assert.equal(await statusOf('multipart/form-data; boundary=x'), 200)
  assert.equal(await statusOf('Multipart/Form-Data;boundary=x'), 200)
  for (const type of ['multipart/mixed; boundary=x', 'multipart/form-datax; boundary=x', 'multipart/', 'application/json'])
    assert.equal(await statusOf(type), 401, type)
})
