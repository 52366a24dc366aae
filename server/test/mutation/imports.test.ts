import assert from 'node:assert/strict'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { importsOf } from './imports.ts'

const root = resolve(import.meta.dirname, '../../..')
const stepsFrom = (path: string, to: string) => importsOf(join(root, path)).get(join(root, to))

test('a file reaches what it imports, at once or later, and what that imports, with the number of steps', () => {
  assert.equal(stepsFrom('server/test/lib/fair-turns.test.ts', 'server/src/lib/fair-turns.ts'), 1)
  assert.equal(stepsFrom('server/src/endpoints/index.ts', 'server/src/endpoints/ads/catalogs/feeds/feeds.ts'), 1)
  assert.equal(stepsFrom('server/src/endpoints/index.ts', 'server/src/endpoints/ads/catalogs/feeds/schedule.ts'), 2)
})

test('an import of types alone leads nowhere, and no file reaches itself', () => {
  const file = 'server/test/mutation/rank-tests.ts'
  assert.equal(stepsFrom(file, 'server/test/mutation/coverage.ts'), 1)
  assert.equal(stepsFrom(file, 'server/test/mutation/measure-tests.ts'), undefined)
  assert.equal(stepsFrom(file, file), undefined)
})
