import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Stage, setStage } from '../stage/postern.ts'

const SECRET = 'b4c0ffee4a5e1dabc0de'

const obtain = (stage: Stage, name: string) =>
  stage.api('POST', '/oauth2/token', {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${name}:${SECRET}`).toString('base64')}`,
    },
    body: 'grant_type=client_credentials',
  })

test('a chosen consumer key that HTTP Basic cannot carry is refused, in a seed and for a new app', async () => {
  await using stage = await setStage({ seed: {} })
  for (const character of [':', '%', '\t', '\n', '\u007f', 'ü', '\u2028', '😀'])
    for (const consumer_key of [
      `a-key-of-16-${character}-characters`,
      `${character}a-key-of-16-characters`,
      `a-key-of-16-characters${character}`,
    ])
      for (const [path, body, name] of [
        ['/operator/apps', { name: 'x', consumer_key }, 'consumer_key'],
        ['/operator/seed', { apps: [{ name: 'x', consumer_key }] }, 'apps.0.consumer_key'],
      ] as const) {
        const answer = await stage.operator('POST', path, body)
        assert.equal(answer.status, 400, `${path} ${consumer_key}`)
        assert.deepEqual(answer.body.errors, [
          {
            message: `${name} must be printable ASCII without \`:\` and \`%\`, so that HTTP Basic can carry it as the user name`,
            parameters: { [name]: [consumer_key] },
          },
        ])
      }
  assert.deepEqual((await stage.operator('GET', '/operator/apps')).body.data, [])
})

test('a chosen consumer key of any other printable characters obtains a bearer token, percent-encoded or not', async () => {
  await using stage = await setStage({ seed: {} })
  const printable = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).filter((one) => one !== ':' && one !== '%')
  const consumer_key = printable.join('')
  const created = await stage.operator('POST', '/operator/apps', { name: 'x', consumer_key, consumer_secret: SECRET })
  assert.equal(created.status, 200, created.text)
  assert.equal(created.body.data.consumer_key, consumer_key)
  for (const name of [consumer_key, encodeURIComponent(consumer_key)]) {
    const answer = await obtain(stage, name)
    assert.equal(answer.status, 200, answer.text)
  }
})
