import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { startPostern } from 'postern'

const folder = join(import.meta.dirname, '../examples/python')
const hasPython = spawnSync('python3', ['--version']).status === 0

test('the calls of the Python example have the answers that it expects', async () => {
  await using postern = await startPostern()
  const { api } = postern
  const { data: inbox } = await api.call<{ data: { id: string } }>('POST', '/operator/inboxes', { events: ['dm.received'] })
  await api.call('POST', '/operator/trigger', { event_type: 'dm.received', to: 'ada', text: 'Hello' })
  const events = `/operator/inboxes/${inbox.id}/events`
  const { data } = await api.call<{ data: { verified: boolean; user_id: string }[] }>('GET', events, undefined, {
    event_type: 'dm.received',
    wait: '5s',
  })
  assert.deepEqual(
    data.map(({ verified, user_id }) => [verified, user_id]),
    [[true, '101']],
  )
  const { happened } = await postern.clock.advance('3h')
  assert.ok(happened.filter(({ kind }) => kind === 'challenge').length >= 3)
  await api.call('DELETE', `/operator/inboxes/${inbox.id}`)
})

if (hasPython)
  test('the Python example passes', async () => {
    await using postern = await startPostern()
    const env = { ...process.env, POSTERN_URL: postern.url, POSTERN_OPERATOR_TOKEN: postern.operatorToken, PYTHONDONTWRITEBYTECODE: '1' }
    const child = spawn('python3', ['-m', 'unittest', 'test_bot'], { cwd: folder, env })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    const said = (await child.stderr.toArray()).join('')
    assert.equal(await ended, 0, said)
    assert.match(said, /Ran 2 tests/)
  })
