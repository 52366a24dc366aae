import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dialects } from '../../src/api/declare/dialect.ts'
import { id, object } from '../../src/api/declare/words.ts'
import { operatorPage } from '../../src/endpoints/operator/operator-page.ts'
import { setStage } from '../stage/postern.ts'

const page = operatorPage('after', id, object({ post_id: id() }))

const read = (count: number, limit: number) =>
  page.read(limit, {
    rows: async () => Array.from({ length: count }, (_, n) => String(n + 1)),
    view: (row) => ({ post_id: row }),
    placeOf: (row) => row,
  })

const writing = (dialect: 'spec' | 'x') => ({ dialect: dialects[dialect], problemBaseUrl: '' })

test('a page of operators is written fifty rows at a time, in the names of the dialect', async () => {
  const answer = await read(120, 1000)
  const sizes = [...answer.pieces(writing('spec'))].map((piece) => piece.split('post_id').length - 1)
  assert.deepEqual(
    sizes.filter((size) => size > 0),
    [50, 50, 20],
  )
  const rows = (name: string) => Array.from({ length: 120 }, (_, n) => ({ [name]: String(n + 1) }))
  assert.deepEqual(JSON.parse(answer.write(writing('spec'))), { data: rows('post_id'), meta: { result_count: 120 } })
  assert.deepEqual(JSON.parse(answer.write(writing('x'))), { data: rows('tweet_id'), meta: { result_count: 120 } })
})

test('a page of operators that is full says where the next begins, and one that is not says nothing', async () => {
  const metaOf = async (count: number, limit: number) => JSON.parse((await read(count, limit)).write(writing('spec'))).meta
  assert.deepEqual(await metaOf(3, 3), { result_count: 3, next_after: '3' })
  assert.deepEqual(await metaOf(2, 3), { result_count: 2 })
  assert.deepEqual(await metaOf(0, 3), { result_count: 0 })
})

test('a page of operators has 100 rows, or as many as are asked for, at most 1,000', async () => {
  const users = Array.from({ length: 102 }, (_, n) => ({ id: String(1000 + n), username: `user${n}`, name: 'User' }))
  await using stage = await setStage({ seed: { users } })
  const list = (query: string) => stage.operator('GET', `/operator/users${query}`)
  const { data, meta } = (await list('')).body
  assert.deepEqual([data.length, meta], [100, { result_count: 100, next_after: '1099' }])
  assert.equal((await list('?max_results=101')).body.data.length, 101)
  assert.equal((await list('?max_results=1000')).body.data.length, 102)
  assert.equal((await list('?max_results=1001')).status, 400)
  assert.equal((await list('?max_results=0')).status, 400)
})
