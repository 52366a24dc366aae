import { availableParallelism } from 'node:os'
import { waitsLong, whyAlone } from './file-lists.ts'
import { type FileRun, type RunOptions, startWorker, type Worker } from './worker-process.ts'

/** One more than there are cores: it begins with the files that wait. */
export const AT_ONCE = availableParallelism() + 1

/** Takes the first file that a worker wants, or else the first of all. */
function take(left: string[], wants: (file: string) => boolean): string | undefined {
  const place = left.findIndex(wants)
  return left.splice(Math.max(0, place), 1)[0]
}

/**
 * Runs files in several processes, each of which loads the server once and runs one file after another, and tells `onRun` of each as it
 * ends. The first takes the files that wait for time-outs, the others those that do not. A file that needs a process of its own gets one.
 * After an abort no further file is started.
 */
export async function runFiles(
  files: readonly string[],
  options: RunOptions & { atOnce: number },
  onRun: (run: FileRun) => void,
): Promise<FileRun[]> {
  // Those that need a process of their own take longest: at the end no process waits for another.
  const left = files.toSorted((one, other) => Number(!whyAlone(one)) - Number(!whyAlone(other)))
  const runs: FileRun[] = []

  const runAlone = async (file: string) => {
    const worker = startWorker(options)
    const run = await worker.run(file)
    await worker.end()
    return run
  }
  const work = async (_: unknown, number: number) => {
    let worker: Worker | undefined
    const wants = (file: string) => waitsLong(file) === (number === 0)
    for (let file = take(left, wants); file !== undefined && !options.signal.aborted; file = take(left, wants)) {
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
