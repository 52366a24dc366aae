import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { findMutants } from './find-mutants.ts'
import { reasonFor, survivors } from './survivors.ts'

const root = resolve(import.meta.dirname, '../../..')

const mutantsOf = (file: string) => (existsSync(resolve(root, file)) ? findMutants(file, readFileSync(resolve(root, file), 'utf8')) : [])

test('each reason is that of a mutant that the sources still have', () => {
  const files = new Set(Object.keys(survivors).map((name) => name.slice(0, name.indexOf(': '))))
  const reasons = new Set([...files].flatMap((file) => mutantsOf(file).map(reasonFor)))
  assert.deepEqual(
    Object.keys(survivors).filter((name) => !reasons.has(survivors[name])),
    [],
  )
})

test('a reason excuses a mutant of its own line alone', () => {
  const [name, reason] = Object.entries(survivors)[0]!
  const mutant = mutantsOf(name.slice(0, name.indexOf(': '))).find((each) => reasonFor(each) === reason)!
  assert.equal(reasonFor({ ...mutant, source: 'another()' }), undefined)
})
