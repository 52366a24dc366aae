// Runs every test of the workspaces on one PostgreSQL, which is started here and stopped afterwards.
// Arguments name test files or pass options on: npm test -- server/test/journeys/replay.test.ts
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { startPostgres } from './stage/postgres-server.ts'

const root = resolve(import.meta.dirname, '../..')
const asked = process.argv.slice(2)
const options = asked.filter((argument) => argument.startsWith('-'))
const named = asked.filter((argument) => !argument.startsWith('-'))
const files = named.length > 0 ? named : globSync('{server,receiver,bench}/test/**/*.test.ts', { cwd: root }).sort()

const postgres = await startPostgres()
const tests = spawn(
  process.execPath,
  ['--test', '--test-concurrency=3', '--test-timeout=120000', '--test-reporter=spec', ...options, ...files],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, POSTERN_TEST_POSTGRES: postgres.url },
  },
)
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => tests.kill(name))
const status = await new Promise<number>((ended) => tests.once('exit', (code) => ended(code ?? 1)))
await postgres.stop()
process.exit(status)
