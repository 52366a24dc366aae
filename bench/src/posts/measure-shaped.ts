import { recordResponse, startBareFastify } from '../bare-fastify.ts'
import type { Run } from '../benchmark.ts'
import type { Database, Engine } from '../databases.ts'
import { createHttpLoad } from '../http-load.ts'
import { interleave, type Rate } from '../interleave.ts'
import { type PosternProcess, startPostern } from '../postern-process.ts'
import { cpuMicrosOf, cpuMicrosWithDatabase } from '../process-status.ts'
import { busiestUser, fillWorld, postsWithMedia } from './world.ts'

export const IN_FLIGHT = 32
export const POSTS = 100

const WORLD = 5000
const FEW = 1000
const SHAPE =
  'post.fields=created_at,public_metrics,entities&expansions=author_id,attachments.media_keys&user.fields=verified&media.fields=url,width,height'

const loadOf = ({ pid, baseUrl: origin }: PosternProcess, { databasePid }: Database, path: string, headers: Record<string, string>) =>
  createHttpLoad({
    ...{ pid, cpuMicros: () => cpuMicrosWithDatabase(pid, databasePid), inFlight: IN_FLIGHT, status: 200 },
    request: { origin, path, method: 'GET', headers },
  })

const bearerOf = async (server: PosternProcess) => {
  await server.seed({ count: 1, port: 9 })
  return { authorization: `Bearer ${await server.bearerToken()}` }
}

/** Measures 100 posts with their authors and media from Postern, and the same bytes and headers from bare Fastify. */
export async function measureShaped(engine: Engine, { config, databases }: Run): Promise<Record<'postern' | 'bare', Rate>> {
  await using database = await databases.open(engine)
  await fillWorld(database, WORLD)
  const path = `/2/posts?ids=${await postsWithMedia(database, POSTS)}&${SHAPE}`
  await using server = await startPostern({ database })
  const headers = await bearerOf(server)
  await using fastify = await startBareFastify(await recordResponse(server.baseUrl + path, headers))
  await using postern = loadOf(server, database, path, headers)
  await using bare = createHttpLoad({
    ...{ pid: fastify.pid, cpuMicros: () => cpuMicrosOf(fastify.pid), inFlight: IN_FLIGHT, status: 200 },
    request: { origin: fastify.url, path, method: 'GET', headers },
  })
  return await interleave({ postern, bare }, config)
}

/** Measures a page of a user's posts among many posts, and among few. */
export async function measureTimelines(engine: Engine, { config, databases }: Run): Promise<Record<'many' | 'few', Rate>> {
  await using stack = new AsyncDisposableStack()
  const timelineOf = async (posts: number) => {
    const database = stack.use(await databases.open(engine))
    await fillWorld(database, posts)
    const path = `/2/users/${await busiestUser(database)}/posts?max_results=10&${SHAPE}`
    const server = stack.use(await startPostern({ database }))
    return stack.use(loadOf(server, database, path, await bearerOf(server)))
  }
  return await interleave({ many: await timelineOf(config.rows), few: await timelineOf(FEW) }, config)
}
