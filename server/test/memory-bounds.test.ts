import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

test('npm start, the image and the systemd unit bound the young generation and the arenas of glibc alike', () => {
  for (const [path, line] of [
    ['package.json', /"start": ".*"/],
    ['Dockerfile', /^CMD .*/m],
    ['docs/install.md', /^ExecStart=.*/m],
  ] as const)
    assert.match(line.exec(read(path))![0], /\bnode"?,? "?--max-semi-space-size=8\b/, path)
  for (const path of ['package.json', 'Dockerfile', 'docs/install.md']) assert.match(read(path), /MALLOC_ARENA_MAX=2\b/, path)
})

const MB = 2 ** 20

/** Makes objects of which many survive for a while; prints how large that made the young generation, and what else bounds the process. */
const CHURN = `
  const { getHeapSpaceStatistics } = require('node:v8')
  const young = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size
  let [most, kept] = [0, []]
  for (let round = 0; round < 50; round++) {
    kept = Array.from({ length: 50000 }, (_, at) => ({ at }))
    most = Math.max(most, young())
  }
  JSON.stringify({ most, arenas: process.env.MALLOC_ARENA_MAX, kept: kept.length })`

/** Runs the churn with a command in place of the server. */
const churnWith = (command: string) =>
  JSON.parse(execFileSync('sh', ['-c', `${command} -p "$CHURN"`], { cwd: ROOT, env: { ...process.env, CHURN } }).toString())

test('a process that npm start starts keeps a small young generation, where a larger one is read as larger', () => {
  const command = JSON.parse(read('package.json')).scripts.start.replace(/ server\/src\/main\.js.*/, '')
  const bounded = churnWith(command)
  // Two semi-spaces of 8 MB.
  assert.ok(bounded.most <= 2 * 8 * MB, `${bounded.most / MB} MB`)
  assert.equal(bounded.arenas, '2')
  // How soon it grows without a bound depends on the speed of the machine.
  const large = churnWith('node --min-semi-space-size=32 --max-semi-space-size=32')
  assert.ok(large.most > 2 * 8 * MB, `${large.most / MB} MB`)
})

test('both commands limit the growth of the heap once they have started: what is kept compiled would be rejected before', () => {
  for (const path of ['server/src/main.js', 'postern/src/cli/main.js'])
    assert.match(read(path), /await (?:start|runCommand)\(.*\)\n(?:\/\/.*\n)*setFlagsFromString\('--heap-growing-percent=50'\)\n/, path)
})
