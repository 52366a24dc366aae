// The times of a seed: any in ISO 8601 with a zone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSeedText } from '../../src/endpoints/operator/seed/read-seed.ts'
import { setStage } from '../stage/postern.ts'

/** Times that are one moment. */
const SAME = [
  '2026-11-01T10:00:00.000Z',
  '2026-11-01T10:00:00Z',
  '2026-11-01T10:00Z',
  '2026-11-01T12:00:00+02:00',
  '2026-11-01T12:00:00.000+0200',
  '2026-11-01T04:30:00.000000-05:30',
]

const NO_TIMES = [
  '2026-11-01T10:00:00',
  '2026-11-01',
  '2026-02-30T10:00:00Z',
  '2026-11-01T25:00:00Z',
  '2026-11-01T10:00:00+99:00',
  'soon',
  '',
]

/** A seed that has a time wherever a seed has one. */
const seedWith = (time: string) => ({
  users: [{ id: '101', username: 'ada', name: 'Ada', created_at: time }],
  webhooks: [{ consumer_key: 'x', url: 'https://a.example/', created_at: time }],
  accounts: [{ id: 'a1', name: 'A', created_at: time, updated_at: time, campaigns: [{ id: 'c1', start_time: time, end_time: null }] }],
  posts: [
    { id: '1', author_id: '101', text: 'x', created_at: time, poll: { options: [{ label: 'a' }, { label: 'b' }], end_datetime: time } },
  ],
  lists: [{ id: '2', name: 'L', owner_id: '101', created_at: time }],
  spaces: [
    {
      id: 's',
      state: 'ended',
      creator_id: '101',
      started_at: time,
      ended_at: time,
      scheduled_start: time,
      created_at: time,
      updated_at: time,
    },
  ],
  direct_messages: [{ sender_id: '101', dm_conversation_id: '101-102', text: 'x', created_at: time }],
  reposts: [{ user_id: '101', post_id: '1', created_at: time }],
})

const read = (seed: object) => readSeedText('seed.json', JSON.stringify(seed))

test('every time of a seed is taken with any zone, with and without seconds and fractions, and read as one moment', () => {
  const [canonical, ...others] = SAME.map((time) => read(seedWith(time)))
  assert.equal(canonical!.posts![0]!.created_at, '2026-11-01T10:00:00.000Z')
  assert.equal(canonical!.accounts![0]!.created_at, '2026-11-01T10:00:00Z')
  for (const other of others) assert.deepEqual(other, canonical)
})

test('a time of a seed without a zone, or that the calendar has not, is refused by its place', () => {
  for (const time of NO_TIMES)
    assert.throws(
      () => read({ lists: [{ name: 'L', owner_id: '101', created_at: time }] }),
      /lists\.0\.created_at.*ISO 8601 with a zone/,
      time,
    )
})

test('a posted seed takes such times, and loads as the same as one with milliseconds', async () => {
  await using stage = await setStage()
  const load = (created_at: string) =>
    stage.operator('POST', '/operator/seed', {
      users: [{ id: '901', username: 'tia', name: 'Tia' }],
      posts: [{ id: '9001', author_id: '901', text: 'Tide', created_at }],
    })
  assert.equal((await load('2026-11-01T12:00:00+02:00')).status, 200)
  for (const time of SAME) assert.deepEqual((await load(time)).body.data.differing, [], time)
  const { body } = await stage.api('GET', '/2/posts/9001?post.fields=created_at', { token: await stage.token() })
  assert.equal(body.data.created_at, '2026-11-01T10:00:00.000Z')
})
