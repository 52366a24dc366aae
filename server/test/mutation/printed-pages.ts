import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Whether the pages of docs/ that are printed from the code differ from it: CI refuses that. */
export const arePagesStale = (root: string): Promise<boolean> =>
  promisify(execFile)(process.execPath, ['server/scripts/print-docs.ts', '--check', '--no-schema'], { cwd: root }).then(
    () => false,
    () => true,
  )
