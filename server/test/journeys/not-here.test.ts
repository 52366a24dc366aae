import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createNotHere, notHere } from '../../src/development/hosts/not-here.ts'
import { call } from '../stage/call.ts'
import { setStage } from '../stage/postern.ts'

const NOT_FOUND = 404
const METHODS = ['GET', 'POST', 'DELETE']

test('no path that is said not to be here is served, in any spelling, and each says what to use instead', async () => {
  await using stage = await setStage({ environment: { POSTERN_DIALECT: 'x' } })
  for (const { paths, instead } of notHere)
    for (const path of paths)
      for (const method of METHODS) {
        const answer = await call(`${stage.origins.base_url}${path.replaceAll(/:\w+/g, '123')}`, method)
        assert.equal(answer.status, NOT_FOUND, `${method} ${path}`)
        const explanation = await call(answer.headers.get('x-postern-explain')!, 'GET', { headers: { accept: 'application/json' } })
        assert.match(JSON.stringify(explanation.body), /^\{.*Postern does not have /, path)
        if (path.startsWith('/2/')) assert.ok(answer.body.detail.endsWith(instead), answer.body.detail)
        if (!path.startsWith('/1.1/')) continue
        const [error] = answer.body.errors
        assert.deepEqual([error.code, error.message.startsWith('Postern does not have ')], [34, true], answer.text)
        assert.ok(error.message.endsWith(instead), error.message)
      }
})

test('a path of v1.1 is known with and without the ending of its format', () => {
  const find = createNotHere()
  assert.equal(find('/1.1/statuses/show/7.json')?.what, 'Posts of v1.1')
  assert.equal(find('/1.1/statuses/update')?.what, 'Posts of v1.1')
  assert.equal(find('/1.1/statuses/unheard_of.json'), undefined)
})

test('production says no more than that there is nothing', async () => {
  await using stage = await setStage({
    environment: {
      POSTERN_PROFILE: 'production',
      POSTERN_SECRET: randomBytes(36).toString('base64'),
      POSTERN_OPERATOR_PORT: '0',
    },
  })
  const headers = { 'x-forwarded-proto': 'https' }
  const answer = await call(`${stage.origins.base_url}/2/compliance/jobs`, 'GET', { headers })
  assert.deepEqual([answer.status, answer.headers.get('x-postern-explain')], [NOT_FOUND, null])
  assert.equal(answer.body.detail, 'No endpoint has this path on this host: /2/compliance/jobs')
})
