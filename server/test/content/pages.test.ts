import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'

const POSTS = 45
const FIRST = 1_000_000

const seed = {
  apps: [demoApp],
  users: [{ id: '101', username: 'ada' }],
  posts: Array.from({ length: POSTS }, (_, n) => ({
    id: String(FIRST + n),
    author_id: '101',
    text: `Wave ${n} rolls`,
    created_at: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(),
  })),
} as unknown as SeedDocument

const idsOf = ({ data = [] }: { data?: { id: string }[] }) => data.map(({ id }) => id)

/** Newest first. */
const all = Array.from({ length: POSTS }, (_, n) => String(FIRST + POSTS - 1 - n))

async function pageOf(stage: Stage, query: string) {
  const { status, body, text } = await stage.api('GET', `/2/users/101/posts?${query}`, { token: await stage.token() })
  assert.equal(status, 200, text)
  return body
}

for (const flavour of databasesOf(import.meta)) {
  suite(`pages of posts on ${flavour}`, () => {
    test('a walk forth and back sees each post once, whatever is written meanwhile', async () => {
      await using stage = await setStage({ flavour, seed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const forth: string[][] = []
      let last = ''
      for (let token = ''; ; ) {
        const page = await pageOf(stage, `max_results=10${token && `&pagination_token=${token}`}`)
        forth.push(idsOf(page))
        const next = forth.length
        const later = {
          id: String(FIRST + 1000 + next),
          author_id: '101',
          text: `Meanwhile ${next}`,
          created_at: '2026-02-01T00:00:00.000Z',
        }
        assert.equal((await stage.operator('POST', '/operator/seed', { posts: [later] })).status, 200)
        token = page.meta.next_token ?? ''
        if (token === '') {
          last = page.meta.previous_token
          break
        }
      }
      assert.deepEqual(forth.flat(), all)
      assert.deepEqual(
        forth.map(({ length }) => length),
        [10, 10, 10, 10, 5],
      )
      const back: string[][] = []
      for (let token: string | undefined = last; token !== undefined; ) {
        const page: { data?: { id: string }[]; meta: { previous_token?: string } } = await pageOf(
          stage,
          `max_results=10&pagination_token=${token}`,
        )
        back.unshift(idsOf(page))
        token = page.meta.previous_token
      }
      // Before the first post of the walk are the five that were written meanwhile.
      const meanwhile = [5, 4, 3, 2, 1].map((n) => String(FIRST + 1000 + n))
      assert.deepEqual(back.flat(), [...meanwhile, ...all.slice(0, 40)])
    })

    test('since_id and until_id are exclusive, start_time is inclusive and end_time is exclusive', async () => {
      await using stage = await setStage({ flavour, seed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const bounds: [string, number, number][] = [
        [`since_id=${FIRST + 3}&until_id=${FIRST + 9}`, 4, 8],
        ['start_time=2026-01-01T00:03:00.000Z&end_time=2026-01-01T00:09:00.000Z', 3, 8],
        [`since_id=${FIRST + 40}`, 41, 44],
        ['end_time=2026-01-01T00:05:00.000Z', 0, 4],
      ]
      for (const [query, from, to] of bounds) {
        const expected = Array.from({ length: to - from + 1 }, (_, n) => String(FIRST + to - n))
        const page = await pageOf(stage, `max_results=100&${query}`)
        assert.deepEqual(idsOf(page), expected, query)
        const { newest_id, oldest_id, result_count, next_token } = page.meta
        assert.deepEqual([newest_id, oldest_id, result_count, next_token], [expected[0], expected.at(-1), expected.length, undefined])
      }
      const within = await pageOf(stage, `max_results=5&since_id=${FIRST + 3}&until_id=${FIRST + 14}`)
      assert.deepEqual(
        idsOf(within),
        [13, 12, 11, 10, 9].map((n) => String(FIRST + n)),
      )
      const next = await pageOf(
        stage,
        `max_results=5&since_id=${FIRST + 3}&until_id=${FIRST + 14}&pagination_token=${within.meta.next_token}`,
      )
      assert.deepEqual(
        idsOf(next),
        [8, 7, 6, 5, 4].map((n) => String(FIRST + n)),
      )
      assert.equal(next.meta.next_token, undefined)
    })

    test('a token of another list, or one that was changed, is refused by name', async () => {
      await using stage = await setStage({ flavour, seed })
      const { next_token } = (await pageOf(stage, 'max_results=5')).meta
      for (const [path, token] of [
        ['/2/users/102/posts', next_token],
        ['/2/users/101/posts', `${next_token}A`],
        ['/2/users/101/posts', Buffer.from('posts-101:n:1x').toString('base64url')],
      ]) {
        const { status, body } = await stage.api('GET', `${path}?pagination_token=${token}`, { token: await stage.token() })
        assert.deepEqual([status, Object.keys(body.errors[0].parameters)], [400, ['pagination_token']], path)
      }
    })
  })
}
