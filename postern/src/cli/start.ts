import { start } from '../../../server/src/start.ts'
import type { RunCommand } from './command.ts'

/** Starts the server in this process, which goes on until it is told to stop. */
export const runStart: RunCommand = async () => {
  await start()
  return undefined
}
