import { largeVideo } from '../../../server/test/stage/large-videos.ts'
import type { Run } from '../benchmark.ts'
import type { Engine } from '../databases.ts'
import { roundRobin } from '../interleave.ts'
import { startPostern } from '../postern-process.ts'
import { cpuMicrosOf, residentMb } from '../process-status.ts'
import { signInSeed } from '../sign-in/fixtures.ts'
import { startWorker } from '../worker.ts'
import { segmentsOf, send, uploadVideo } from './send-video.ts'

export const MEGABYTES = 100
export const SEGMENT_MB = 5
const MB = 1024 * 1024
const WATCH_MS = 20

/** One upload. */
export interface Upload {
  megabytesPerSecond: number
  cpuMs: number
  /** How much the memory of the process grew at most, and how much it came to. */
  grownMb: number
  residentMb: number
}

/** Measures what a process does and takes while something runs. */
async function measured(pid: number, run: () => Promise<unknown>): Promise<Upload> {
  const before = await residentMb(pid)
  let most = before
  const timer = setInterval(async () => {
    most = Math.max(most, await residentMb(pid).catch(() => 0))
  }, WATCH_MS)
  const cpu = await cpuMicrosOf(pid)
  const startedMs = performance.now()
  await run().finally(() => clearInterval(timer))
  const elapsedMs = performance.now() - startedMs
  const cpuMs = ((await cpuMicrosOf(pid)) - cpu) / 1000
  return { megabytesPerSecond: MEGABYTES / (elapsedMs / 1000), cpuMs, grownMb: most - before, residentMb: most }
}

/** Uploads of a video in one segment and in several, and the same bytes streamed to disk by node:http. */
export async function measureUploads(engine: Engine, { config, databases }: Run): Promise<Record<'whole' | 'segments' | 'bare', Upload[]>> {
  await using database = await databases.open(engine)
  await using server = await startPostern({ database })
  await using bare = await startWorker<object, { url: string }>('bare-stream.ts', {})
  await server.load({ ...signInSeed, apps: signInSeed.apps?.map((app) => ({ ...app, permissions: 'read_write' as const })) })
  const { url } = await bare.call({})
  const video = largeVideo(MEGABYTES)
  const { baseUrl } = server
  const runs = {
    whole: () => measured(server.pid, () => uploadVideo(baseUrl, video.size, [video.pieces()])),
    segments: () => measured(server.pid, () => uploadVideo(baseUrl, video.size, segmentsOf(video.pieces(), SEGMENT_MB * MB))),
    bare: () => measured(bare.pid, () => send(url, { 'content-length': video.size }, video.pieces())),
  }
  for (const run of Object.values(runs)) await run()
  return await roundRobin(config.samples, runs)
}
