import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'

/** How long a process may take to say what it was doing once it was told to end. */
const GRACE_MS = 3000

/** A process together with those that it started. Windows has no groups: there it is the process alone. */
export interface ProcessGroup {
  child: ChildProcess
  /** Resolves with the exit code once the process has ended; whatever it left behind is killed. */
  ended: Promise<number | null>
  /** Tells the process to end, and kills it when it does not. */
  end(): void
}

/** Starts a program as the leader of a process group of its own. */
export function startGroup(program: string, args: string[], options: SpawnOptions): ProcessGroup {
  const hasGroup = process.platform !== 'win32'
  const child = spawn(program, args, { ...options, detached: hasGroup })
  let grace: NodeJS.Timeout | undefined

  const kill = () => {
    try {
      if (hasGroup) process.kill(-child.pid!, 'SIGKILL')
      else child.kill('SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  const wait = async () => {
    const [code] = await once(child, 'exit')
    clearTimeout(grace)
    kill()
    return code as number | null
  }
  const end = () => {
    child.kill('SIGTERM')
    grace ??= setTimeout(kill, GRACE_MS)
  }
  return { child, ended: wait(), end }
}
