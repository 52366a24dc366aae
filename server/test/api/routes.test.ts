import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRouteFinder, type Route } from '../../src/api/http/route.ts'

const route = (path: string): Route => ({
  path,
  methods: ['GET'],
  bodyLimitBytes: 0,
  respond: async () => ({ status: 200, headers: {}, body: '' }),
})

const find = createRouteFinder(
  ['/', '/2/lists/:id', '/2/lists/mine', '/2/lists/mine/posts', '/2/lists/:list_id/members/:user_id', '/1.1/x.json'].map(route),
)

const foundAt = (target: string) => {
  const found = find(target)
  return found && [found.route.path, found.pathParams]
}

test('a path is found by its steps, a name before a placeholder, with or without a slash at its end', () => {
  assert.deepEqual(foundAt('/'), ['/', {}])
  assert.deepEqual(foundAt('/2/lists/mine'), ['/2/lists/mine', {}])
  assert.deepEqual(foundAt('/2/lists/mine/'), ['/2/lists/mine', {}])
  assert.deepEqual(foundAt('/2/lists/7?a=/b#c'), ['/2/lists/:id', { id: '7' }])
  assert.deepEqual(foundAt('http://example.com/2/lists/7'), ['/2/lists/:id', { id: '7' }])
  assert.deepEqual(foundAt('/2/lists/7/members/9'), ['/2/lists/:list_id/members/:user_id', { list_id: '7', user_id: '9' }])
  assert.deepEqual(foundAt('/2/lists/mine/members/9'), ['/2/lists/:list_id/members/:user_id', { list_id: 'mine', user_id: '9' }])
  assert.deepEqual(foundAt('/1.1/x.json'), ['/1.1/x.json', {}])
})

test('steps are percent-decoded once, and what they hold does not divide them', () => {
  assert.deepEqual(foundAt('/2/%6Cists/a%2Fb%252F'), ['/2/lists/:id', { id: 'a/b%2F' }])
  assert.deepEqual(foundAt('/2/lists/%C3%A9'), ['/2/lists/:id', { id: 'é' }])
})

test('a placeholder takes nothing empty, and other paths are not found', () => {
  for (const path of [
    '/2/lists/',
    '/2/lists',
    '/2//mine',
    '/2/lists//members/9',
    '/2/lists/7//',
    '/2/lists/7/members',
    '/2/Lists/mine',
    '/x',
  ])
    assert.equal(foundAt(path), undefined, path)
})

test('two routes of one path are an error', () => {
  assert.throws(() => createRouteFinder([route('/2/lists/:id'), route('/2/lists/:list_id')]), /two routes have the path/)
})
