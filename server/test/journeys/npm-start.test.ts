import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { OPERATOR_TOKEN, SECRET } from '../stage/postern.ts'

const root = resolve(import.meta.dirname, '../../..')

for (const [whom, isGroup] of [
  ['npm', false],
  ['the whole process group of npm', true],
] as const)
  test(`SIGTERM to ${whom} stops the server cleanly, and npm exits after it`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postern-npm-'))
    const ports = { POSTERN_PORT: '0', POSTERN_ADS_PORT: '0', POSTERN_ADS_SANDBOX_PORT: '0' }
    const secrets = { POSTERN_SECRET: SECRET, POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN }
    const env = { ...process.env, ...ports, ...secrets, POSTERN_DATABASE_URL: `sqlite:${join(folder, 'postern.db')}` }
    const npm = spawn('npm', ['start'], { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(npm, 'exit')
    npm.stdout.on('data', (chunk) => {
      if (String(chunk).includes('"msg":"ready"')) process.kill(isGroup ? -npm.pid! : npm.pid!, 'SIGTERM')
    })
    const said = await text(npm.stdout)
    assert.deepEqual(await ended, [0, null])
    assert.match(said, /"msg":"stopping"[\s\S]*"msg":"stopped"/)
    await rm(folder, { recursive: true })
  })
