import { randomUUID } from 'node:crypto'
import { lstatSync, readFileSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateFolder } from './private-folder.ts'

const FILE = 'server.json'

/** A server in development that runs in a folder, for commands that are given in the same folder. */
export interface RunningServer {
  pid: number
  /** When the process began; null where the system does not say. */
  started: string | null
  url: string
  operator_url: string
  /** Only of a server whose token is nowhere else. */
  operator_token?: string
}

/** When a process began, as its system counts: it tells it from a later one with the same number. Null where the system does not say. */
function startOf(pid: number): string | null {
  try {
    // The 22nd field; the second, a name in brackets, may have spaces.
    return (
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? null
    )
  } catch {
    return null
  }
}

/** Whether a process runs, whoever's it is. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const LOOPBACK = /^http:\/\/(?:127(?:\.\d{1,3}){3}|\[::1\]):\d{1,5}$/

/** Nobody but this user can have written it: a folder that somebody else filled must not lead an operator token anywhere. */
export const isOwn = ({ uid, mode }: Stats) => uid === process.getuid?.() && (mode & 0o077) === 0

/**
 * The server that runs in a folder, on this machine. Undefined without one, where the process that wrote the file has ended, and for a file
 * that anybody else could write.
 */
export function readRunningServer(folder: string): RunningServer | undefined {
  const path = join(folder, FILE)
  try {
    if (!isOwn(lstatSync(path))) return undefined
    const server = JSON.parse(readFileSync(path, 'utf8')) as RunningServer
    const { pid, started, url, operator_url } = server
    const isWhole = typeof pid === 'number' && LOOPBACK.test(url) && LOOPBACK.test(operator_url)
    return isWhole && isAlive(pid) && startOf(pid) === started ? server : undefined
  } catch {
    return undefined
  }
}

/**
 * Notes a server in its folder, readable by its owner alone. Another one that runs there already stays. Returns what removes the note, if
 * there is one: without a place to write it, commands need `--url`.
 */
export function noteRunningServer(folder: string, server: Omit<RunningServer, 'pid' | 'started'>): (() => void) | undefined {
  const { pid } = process
  const isThis = () => readRunningServer(folder)?.pid === pid
  if (readRunningServer(folder) && !isThis()) return undefined
  const path = join(folder, FILE)
  const temporary = `${path}.${randomUUID()}`
  try {
    makePrivateFolder(folder)
    writeFileSync(temporary, `${JSON.stringify({ pid, started: startOf(pid), ...server })}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(temporary, path)
  } catch {
    return undefined
  }
  return () => {
    if (isThis()) rmSync(path, { force: true })
  }
}
