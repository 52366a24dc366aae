import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

test('npm start, the image and the systemd unit bound the young generation and the arenas of glibc alike', () => {
  for (const [path, line] of [
    ['package.json', /"start": ".*"/],
    ['Dockerfile', /^CMD .*/m],
    ['docs/operating.md', /^ExecStart=.*/m],
  ] as const)
    assert.match(line.exec(read(path))![0], /\bnode"?,? "?--max-semi-space-size=8\b/, path)
  for (const path of ['package.json', 'Dockerfile', 'docs/operating.md']) assert.match(read(path), /MALLOC_ARENA_MAX=2\b/, path)
})

test('both commands limit the growth of the heap before they enable the compile cache, which is rejected for other flags', () => {
  for (const path of ['server/src/main.js', 'postern/src/cli/main.js'])
    assert.match(read(path), /^setFlagsFromString\('--heap-growing-percent=50'\)\nmodule\.enableCompileCache\(/m, path)
})
