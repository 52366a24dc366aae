/** Files that need a process of their own, and why. All others share one that has loaded the server. */
const alone: Record<string, string> = {
  'server/test/media/upload-disk.test.ts': 'limits the size of the files of its process',
  'server/test/memory-bounds.test.ts': 'measures the memory of its process',
}

/** Files whose tests leave timers, and why. All others fail when something is open that keeps their process alive. */
const leavingTimers: Record<string, string> = {
  'server/test/journeys/media-clients.test.ts': 'a client library has a timeout for each request that it does not clear',
  'server/test/slow/clients/older-clients.test.ts': 'a client library has a timeout for each request that it does not clear',
  'server/test/slow/clients/older-uploads.test.ts': 'a client library has a timeout for each request that it does not clear',
}

/** Why a file needs a process of its own; undefined when it does not. */
export const whyAlone = (file: string): string | undefined => alone[file]

/** Why a file may leave timers; undefined when it may not. */
export const whyTimersAreLeft = (file: string): string | undefined => leavingTimers[file]

/** Every file that is in one of the lists. */
export const listedFiles: readonly string[] = [alone, leavingTimers].flatMap(Object.keys)
