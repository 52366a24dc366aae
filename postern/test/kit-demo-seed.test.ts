import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type StartedPostern, startPostern } from 'postern'

const DAY_MS = 86_400_000

interface Post {
  id: string
  created_at: string
}

const demo = join(import.meta.dirname, '../../server/seeds/demo.json')
const { posts: written } = JSON.parse(await readFile(demo, 'utf8')) as { posts: Post[] }

async function get<Answer>({ url, app }: StartedPostern, path: string): Promise<Answer> {
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${await app.bearerToken()}` } })
  return (await answer.json()) as Answer
}

/** The posts of the demo seed as the server has them. */
async function postsOf(postern: StartedPostern): Promise<Post[]> {
  const ids = written.map(({ id }) => id)
  const pages = [ids.slice(0, 100), ids.slice(100)].map((part) =>
    get<{ data: Post[] }>(postern, `/2/posts?ids=${part.join()}&post.fields=created_at`),
  )
  const posts = (await Promise.all(pages)).flatMap(({ data }) => data)
  return posts.map(({ id, created_at }) => ({ id, created_at }))
}

test('the demo seed is of yesterday whenever it is loaded, and a later start finds it as it was', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-demo-'))
  const settings = { POSTERN_DATABASE_URL: `sqlite:${folder}/postern.db`, POSTERN_SECRET: randomBytes(36).toString('base64') }
  try {
    let first: Post[]
    {
      await using postern = await startPostern({ settings })
      first = await postsOf(postern)
      const ageMs = Date.now() - Math.max(...first.map(({ created_at }) => Date.parse(created_at)))
      assert.ok(ageMs > 0 && ageMs < 2 * DAY_MS, `the newest post is ${ageMs / DAY_MS} days old`)
      const writtenMs = new Map(written.map(({ id, created_at }) => [id, Date.parse(created_at)]))
      const moves = new Set(first.map(({ id, created_at }) => Date.parse(created_at) - writtenMs.get(id)!))
      assert.equal(moves.size, 1, 'all posts are moved alike')
      const found = await get<{ meta: { result_count: number } }>(postern, '/2/posts/search/recent?query=from:ada')
      assert.ok(found.meta.result_count > 0)
      await postern.clock.advance('9d')
    }
    await using postern = await startPostern({ settings })
    assert.deepEqual(await postsOf(postern), first)
    assert.deepEqual(
      postern.log.filter(({ msg }) => /differs from the seed/.test(msg)),
      [],
    )
  } finally {
    await rm(folder, { recursive: true })
  }
})
