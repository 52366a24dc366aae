import { writeWorld } from '../../../server/scripts/world/write-world.ts'
import { recordTypes } from '../../../server/src/endpoints/index.ts'
import { createClock } from '../../../server/src/lib/clock.ts'
import { createSeal } from '../../../server/src/lib/seal.ts'
import { openStorage } from '../../../server/src/storage/sql/open-storage.ts'
import { rawRows } from '../../../server/test/storage/samples.ts'
import type { Database } from '../databases.ts'
import { BENCH_SECRET } from '../postern-process.ts'

const POSTS_PER_USER = 100

/** Generates so many posts of a hundredth as many users into an empty database that no Postern has open. */
export async function fillWorld({ url }: Database, posts: number): Promise<void> {
  const clock = createClock()
  const storage = await openStorage({ url, clock, seal: createSeal([BENCH_SECRET]), recordTypes })
  try {
    const users = Math.max(10, Math.floor(posts / POSTS_PER_USER))
    await writeWorld(storage.content, { users, posts, random: 1, untilMs: clock.now() })
  } finally {
    await storage.close()
  }
  await rawRows(url, 'analyze')
}

/** The ids of the newest posts that have media. */
export const postsWithMedia = async ({ url }: Database, count: number): Promise<string[]> =>
  (await rawRows(url, `select cast(id as text) as id from posts where media_keys is not null order by posts.id desc limit ${count}`)).map(
    ({ id }) => id as string,
  )

/** The user with the most posts. */
export const busiestUser = async ({ url }: Database): Promise<string> =>
  (await rawRows(url, 'select user_id as id from profiles order by post_count desc limit 1'))[0]!.id as string
