const closers = new Set<() => Promise<unknown>>()

/**
 * Calls `close` whenever a test file has ended. What two servers of a process have open to watch each other keeps the process alive: they may
 * serve the next test, but not the next file.
 */
export const atFileEnd = (close: () => Promise<unknown>): void => void closers.add(close)

/** The tests of a file have ended. */
export async function endFile(): Promise<void> {
  for (const close of closers) await close()
}
