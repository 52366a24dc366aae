import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { VERSION } from '../../src/lib/version.ts'

test('the version of the code is that of its packages', () => {
  for (const name of ['server', 'postern', 'receiver']) {
    const manifest = readFileSync(join(import.meta.dirname, '../../..', name, 'package.json'), 'utf8')
    assert.equal(JSON.parse(manifest).version, VERSION, name)
  }
})
