import { availableParallelism } from 'node:os'
import { whyAlone } from './file-lists.ts'
import { type FileRun, type RunOptions, startWorker, type Worker } from './worker-process.ts'

/** One more than there are cores: some files wait. */
export const AT_ONCE = availableParallelism() + 1

/**
 * Runs files in as many processes as there are cores, each of which loads the server once and runs one file after another, and tells
 * `onRun` of each as it ends. A file that needs a process of its own gets one. After an abort no further file is started.
 */
export async function runFiles(
  files: readonly string[],
  options: RunOptions & { atOnce: number },
  onRun: (run: FileRun) => void,
): Promise<FileRun[]> {
  // Those that take longest are among these: at the end no process waits for another.
  const waiting = files.toSorted((one, other) => Number(!whyAlone(one)) - Number(!whyAlone(other))).values()
  const runs: FileRun[] = []

  const runAlone = async (file: string) => {
    const worker = startWorker(options)
    const run = await worker.run(file)
    await worker.end()
    return run
  }
  const work = async () => {
    let worker: Worker | undefined
    for (const file of waiting) {
      if (options.signal.aborted) break
      if (whyAlone(file) === undefined && !worker?.isAlive) worker = startWorker(options)
      const run = whyAlone(file) === undefined ? await worker!.run(file) : await runAlone(file)
      runs.push(run)
      onRun(run)
    }
    await worker?.end()
  }
  await Promise.all(Array.from({ length: options.atOnce }, work))
  return runs
}
