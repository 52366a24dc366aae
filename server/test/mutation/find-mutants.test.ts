import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseMutants } from './choose-mutants.ts'
import { apply, findMutants } from './find-mutants.ts'
import type { TestFile } from './measure-tests.ts'
import { calledPaths, rankTests } from './rank-tests.ts'

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

test('what only the printed pages say is marked, and nothing else', () => {
  const marked = (text: string) => findMutants('a.ts', text).map(({ change, isDocumentation }) => [change, isDocumentation])
  assert.deepEqual(marked("const e = f({ problems: ['a', 'b'], example: 3, max: 4 })"), [
    ["without 'a'", true],
    ["without 'b'", true],
    ['3 → 4', true],
    ['4 → 5', false],
  ])
  assert.deepEqual(marked("const e = f({ a: 'x', description: 'y', b: 'z' })"), [
    ["without a: 'x'", false],
    ["without description: 'y'", true],
    ["without b: 'z'", false],
  ])
})

test('a mutant has the names around it and the words of what is changed', () => {
  const [mutant] = findMutants('a.ts', "const limits = f({ webhook_limit: g({ max: 100 }), kinds: ['POST', 'GONE'] })")
  assert.deepEqual(mutant!.words, ['limits', 'webhook_limit', 'max'])
  const row = findMutants('a.ts', "const limits = f({ kinds: ['POST', 'GONE'] })").at(-1)
  assert.deepEqual(row!.words, ['GONE', 'limits', 'kinds'])
})

test('the test files that run a mutant are ranked: those with its words before the others, then the fast ones', () => {
  const text = 'const f = () => 100'
  const mutant = findMutants('server/src/a.ts', text)[0]!
  const ran = (count: number) => new Map([['server/src/a.ts', [{ ranges: [{ startOffset: 0, endOffset: text.length, count }] }]]])
  const file = (path: string, more: Partial<TestFile>): TestFile => ({ path, text: '', durationMs: 1000, coverage: ran(1), ...more })
  const tests = [
    file('slow', { durationMs: 9000 }),
    file('fast', {}),
    file('elsewhere', { coverage: ran(0) }),
    file('naming', { text: 'webhook_limit' }),
  ]
  const ranked = rankTests({ ...mutant, words: ['webhook_limit'] }, tests, new Map())
  assert.deepEqual(
    ranked.map(({ path }) => path),
    ['naming', 'fast', 'slow'],
  )
})

test('the choice is the same for the same sources, and another for another seed', () => {
  const all = findMutants('a.ts', `const t = [${Array.from({ length: 50 }, (_, n) => n).join()}]`)
  assert.deepEqual(chooseMutants(all, 10, 'x'), chooseMutants(all, 10, 'x'))
  assert.notDeepEqual(chooseMutants(all, 10, 'x'), chooseMutants(all, 10, 'y'))
})

test('a test calls endpoints by their paths, or by what stands after a parameter in these', () => {
  const source = "route: 'GET /2/posts/counts/recent',\nroute: 'GET /2/users/:id/mentions',\n'GET it'"
  assert.deepEqual(calledPaths(source), ['/2/posts/counts/recent', '/mentions'])
})
