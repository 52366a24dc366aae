/** Files that need a process of their own, and why. All others share one that has loaded the server. */
const alone: Record<string, string> = {
  'server/test/api/descriptors.test.ts': 'opens files until descriptors are high, where no other test may close lower ones',
  'server/test/media/upload-disk.test.ts': 'limits the size of the files of its process',
  'server/test/memory-bounds.test.ts': 'measures the memory of its process',
}

/** Files whose tests leave timers, and why. All others fail when something is open that keeps their process alive. */
const leavingTimers: Record<string, string> = {
  'server/test/journeys/media-clients.test.ts': 'a client library has a timeout for each request that it does not clear',
  'server/test/slow/clients/older-clients.test.ts': 'a client library has a timeout for each request that it does not clear',
  'server/test/slow/clients/older-uploads.test.ts': 'a client library has a timeout for each request that it does not clear',
}

/** Files that wait for real time-outs, and which. They begin first, so that nothing waits for them at the end. */
const waiting: Record<string, string> = {
  'server/test/journeys/dead-connections.test.ts': 'of answers of PostgreSQL',
  'server/test/journeys/fleet.test.ts': 'of leases of processes that are frozen or killed',
  'server/test/journeys/metrics.test.ts': 'of answers of PostgreSQL',
  'server/test/journeys/post-created.test.ts': 'of leases of processes that are killed',
  'server/test/journeys/cache-fleet.test.ts': 'of the trust in caches of processes that are frozen',
  'server/test/storage/cache-trust.test.ts': 'of the trust in caches',
  'server/test/storage/event-log-postgres.test.ts': 'of leases',
  'server/test/journeys/snapshots.test.ts': 'of the trust in caches',
  'server/test/runner/run.test.ts': 'of files that do not end',
}

/** Files that may take longer than others, and how many minutes. */
const lasting: Record<string, number> = {
  'server/test/contributing.test.ts': 15,
  'server/test/journeys/description-fuzz.slow.test.ts': 30,
  'server/test/journeys/fleet-faults.slow.test.ts': 15,
  'server/test/journeys/fair-share-large.slow.test.ts': 60,
  'server/test/journeys/fair-share-nearly-empty.slow.test.ts': 30,
  'server/test/journeys/strange-requests.slow.test.ts': 30,
}

/** Why a file needs a process of its own; undefined when it does not. */
export const whyAlone = (file: string): string | undefined => alone[file]

/** Why a file may leave timers; undefined when it may not. */
export const whyTimersAreLeft = (file: string): string | undefined => leavingTimers[file]

/** Whether a file waits most of its time. */
export const waitsLong = (file: string): boolean => file in waiting

/** How many milliseconds a file may take, where others may take `usualMs`. */
export const limitMsOf = (file: string, usualMs: number): number => Math.max(usualMs, (lasting[file] ?? 0) * 60_000)

/** Every file that is in one of the lists. */
export const listedFiles: readonly string[] = [alone, leavingTimers, waiting, lasting].flatMap(Object.keys)
