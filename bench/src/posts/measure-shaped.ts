import { recordResponse, startBareFastify } from '../bare-fastify.ts'
import type { Run } from '../benchmark.ts'
import type { Database, Engine } from '../databases.ts'
import { createHttpLoad } from '../http-load.ts'
import { interleave, type Rate } from '../interleave.ts'
import { type PosternProcess, startPostern } from '../postern-process.ts'
import { cpuMicrosWithDatabase } from '../process-status.ts'
import { startWorker } from '../worker.ts'
import { busiestUser, fillWorld, postsWithMedia } from './world.ts'

export const IN_FLIGHT = 32
export const POSTS = 100

const WORLD = 5000
const FEW = 1000
const SHAPE =
  'post.fields=created_at,public_metrics,entities&expansions=author_id,attachments.media_keys&user.fields=verified&media.fields=url,width,height'

type Server = Pick<PosternProcess, 'pid' | 'baseUrl'>

const loadOf = (
  { pid, baseUrl: origin }: Server,
  { databasePid }: Pick<Database, 'databasePid'>,
  path: string,
  headers: Record<string, string>,
) =>
  createHttpLoad({
    pid,
    cpuMicros: () => cpuMicrosWithDatabase(pid, databasePid),
    inFlight: IN_FLIGHT,
    status: 200,
    request: { origin, path, method: 'GET', headers },
  })

const bearerOf = async (server: PosternProcess) => {
  await server.seed({ count: 1, port: 9 })
  return { authorization: `Bearer ${await server.bearerToken()}` }
}

/** Measures 100 posts with their authors and media from Postern, from a handler written by hand, and the same bytes and headers from bare Fastify. */
export async function measureShaped(engine: Engine, { config, databases }: Run): Promise<Record<'postern' | 'byHand' | 'bare', Rate>> {
  await using database = await databases.open(engine)
  await fillWorld(database, WORLD)
  const path = `/2/posts?ids=${await postsWithMedia(database, POSTS)}&${SHAPE}`
  await using server = await startPostern({ database })
  const headers = await bearerOf(server)
  await using fastify = await startBareFastify(await recordResponse(server.baseUrl + path, headers))
  await using postern = loadOf(server, database, path, headers)
  await using handWritten = await startWorker<object, { url: string }>('hand-written.ts', { url: database.url })
  const { url } = await handWritten.call({})
  await using byHand = loadOf({ pid: handWritten.pid, baseUrl: url }, database, path, headers)
  await using bare = loadOf({ pid: fastify.pid, baseUrl: fastify.url }, { databasePid: undefined }, path, headers)
  return await interleave({ postern, byHand, bare }, config)
}

/** A world in a database of its own, with a Postern that serves it. */
export interface ServedWorld extends AsyncDisposable {
  database: Database
  server: PosternProcess
  headers: Record<string, string>
}

/** Fills a database with so many generated posts and starts Postern on it. */
export async function serveWorld(engine: Engine, { databases }: Run, posts: number): Promise<ServedWorld> {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await databases.open(engine))
  await fillWorld(database, posts)
  const server = stack.use(await startPostern({ database }))
  const headers = await bearerOf(server)
  const kept = stack.move()
  return { database, server, headers, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** Measures a page of a user's posts among many posts, and among few. */
export async function measureTimelines(engine: Engine, run: Run, many: ServedWorld): Promise<Record<'many' | 'few', Rate>> {
  await using few = await serveWorld(engine, run, FEW)
  const timelineOf = async ({ database, server, headers }: ServedWorld) =>
    loadOf(server, database, `/2/users/${await busiestUser(database)}/posts?max_results=10&${SHAPE}`, headers)
  await using ofMany = await timelineOf(many)
  await using ofFew = await timelineOf(few)
  return await interleave({ many: ofMany, few: ofFew }, run.config)
}
