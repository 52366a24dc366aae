import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { startCallback } from '../stage/callback-servers.ts'
import { turn } from '../stage/sending.ts'

test('a request in flight keeps its process alive, an idle connection does not', async () => {
  let answer = () => {}
  await using callback = await startCallback((_request, response) => {
    answer = () => void response.end('ok')
  })
  const child = spawn(process.execPath, [join(import.meta.dirname, '../stage/send-once.ts'), callback.origin], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const said = text(child.stdout)
  await callback.received(1)
  for (let turns = 0; turns < 100; turns++) await turn()
  assert.equal(child.exitCode, null)
  answer()
  assert.deepEqual([await said, (await exited)[0]], ['answered\n', 0])
})
