import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateFolder } from './private-folder.ts'

const FILE = 'server.json'

/** A server in development that runs in a folder, for commands that are given in the same folder. */
export interface RunningServer {
  pid: number
  url: string
  operator_url: string
  /** Only of a server whose token is nowhere else. */
  operator_token?: string
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The server that runs in a folder. Undefined without one, and where the process that wrote the file has ended. */
export function readRunningServer(folder: string): RunningServer | undefined {
  try {
    const server = JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as RunningServer
    const isWhole = typeof server.pid === 'number' && URL.canParse(server.url) && URL.canParse(server.operator_url)
    return isWhole && isAlive(server.pid) ? server : undefined
  } catch {
    return undefined
  }
}

/**
 * Notes a server in its folder, readable by its owner alone. Another one that runs there already stays. Returns what removes the note, if
 * there is one: without a place to write it, commands need `--url`.
 */
export function noteRunningServer(folder: string, server: RunningServer): (() => void) | undefined {
  const isOwn = () => readRunningServer(folder)?.pid === server.pid
  if (readRunningServer(folder) && !isOwn()) return undefined
  const path = join(folder, FILE)
  try {
    makePrivateFolder(folder)
    writeFileSync(`${path}.${server.pid}`, `${JSON.stringify(server)}\n`, { mode: 0o600 })
    renameSync(`${path}.${server.pid}`, path)
  } catch {
    return undefined
  }
  return () => {
    if (isOwn()) rmSync(path, { force: true })
  }
}
