import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
/** Several times what a run of all files takes. */
const ROOM_BYTES = 4 << 30

const makeIn = (parent: string) => {
  const path = mkdtempSync(join(parent, 'postern-run-'))
  chmodSync(path, 0o711) // PostgreSQL may run as another account
  return path
}

/** Tests start programs that they write: a container may forbid that in its memory. */
function runsPrograms(path: string): boolean {
  const program = join(path, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 0
}

function makeInMemory(): string | undefined {
  if (process.env.TMPDIR || !existsSync(MEMORY)) return undefined
  const { bavail, bsize } = statfsSync(MEMORY)
  if (bavail * bsize < ROOM_BYTES) return undefined
  const path = makeIn(MEMORY)
  if (runsPrograms(path)) return path
  rmSync(path, { recursive: true })
  return undefined
}

export interface RunFolder {
  path: string
  remove(): void
}

/**
 * Makes the folder for all files of a run: in memory where there is room, because a thousand databases made and dropped on a disk take
 * minutes, else the system's folder for temporary files. TMPDIR chooses another.
 */
export function makeRunFolder(): RunFolder {
  const path = makeInMemory() ?? makeIn(tmpdir())
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
