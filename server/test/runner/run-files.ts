import { type FileRun, type RunOptions, runFile } from './run-file.ts'

const AT_ONCE = 3

/** Runs files, three at once, and tells `onRun` of each as it ends. After an abort no further one is started. */
export async function runFiles(files: readonly string[], options: RunOptions, onRun: (run: FileRun) => void): Promise<FileRun[]> {
  const waiting = files.values()
  const runs: FileRun[] = []
  const work = async () => {
    for (const file of waiting) {
      if (options.signal.aborted) return
      const run = await runFile(file, options)
      runs.push(run)
      onRun(run)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return runs
}
