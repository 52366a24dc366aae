import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { nameOf } from './choose-mutants.ts'
import { findMutants } from './find-mutants.ts'
import { survivors } from './survivors.ts'

const root = resolve(import.meta.dirname, '../../..')

test('each survivor with a reason is still a mutant of the sources', () => {
  const gone = Object.keys(survivors).filter((name) => {
    const file = name.slice(0, name.indexOf(': '))
    const path = resolve(root, file)
    return !existsSync(path) || !findMutants(file, readFileSync(path, 'utf8')).some((mutant) => nameOf(mutant) === name)
  })
  assert.deepEqual(gone, [])
})
