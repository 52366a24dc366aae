import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseMutants } from './choose-mutants.ts'
import { apply, findMutants } from './find-mutants.ts'

const mutated = (text: string) => findMutants('a.ts', text).map((mutant) => apply(text, mutant))

test('a number is raised by one, a flag is turned round', () => {
  assert.deepEqual(mutated('const most = f(200, true)'), ['const most = f(201, true)', 'const most = f(200, false)'])
})

test('a comparison includes or excludes its limit, an equality is turned round', () => {
  assert.deepEqual(mutated('const f = (a: number, b: number) => a <= b'), ['const f = (a: number, b: number) => a < b'])
  assert.deepEqual(mutated('const f = (a: string, b: string) => a === b || g'), [
    'const f = (a: string, b: string) => a === b && g',
    'const f = (a: string, b: string) => a !== b || g',
  ])
})

test('each row of a table is left out once', () => {
  assert.deepEqual(mutated("const KINDS = ['a', 'b', 'c'] as const"), [
    "const KINDS = ['b', 'c'] as const",
    "const KINDS = ['a', 'c'] as const",
    "const KINDS = ['a', 'b'] as const",
  ])
  assert.equal(mutated("const codes = { a: 'x', b: 'y', c: 'z' }").length, 3)
  assert.deepEqual(mutated("const f = () => ['a', 'b']"), [], 'a list within a function is no table')
})

test('descriptions, imports and types are left as they are', () => {
  assert.deepEqual(mutated('const d = { description: upTo(3) }'), [])
  assert.deepEqual(mutated("import a from './a.ts'\ntype B = 1 | 2"), [])
})

test('the choice is the same for the same sources, and another for another seed', () => {
  const all = findMutants('a.ts', `const t = [${Array.from({ length: 50 }, (_, n) => n).join()}]`)
  assert.deepEqual(chooseMutants(all, 10, 'x'), chooseMutants(all, 10, 'x'))
  assert.notDeepEqual(chooseMutants(all, 10, 'x'), chooseMutants(all, 10, 'y'))
})
