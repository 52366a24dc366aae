import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { startGroup } from '../runner/process-group.ts'
import { unmountBelow } from '../stage/small-disk.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
/** Set for the copy. */
const IS_COPY = 'POSTERN_SOAK_COPY'
const LOOK_MS = 1000
/** For PostgreSQL, to end and free what it shares. */
const GRACE_MS = 2000
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Calls `end` when the process that started this one is gone. */
function whenOrphaned(end: () => void) {
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && end(), LOOK_MS).unref()
}

/** Copies the sources, which somebody may change meanwhile, beside the packages that are installed. */
function copySources(copy: string) {
  const isSource = (path: string) => path === ROOT || !/^(\.|node_modules$|dist$)/.test(basename(path))
  cpSync(ROOT, copy, { recursive: true, filter: isSource })
  for (const packages of ['node_modules', 'server/node_modules'])
    if (existsSync(join(ROOT, packages))) symlinkSync(join(ROOT, packages), join(copy, packages))
}

/** Asks all processes that the copy has started to end; what has not ended by then is killed. */
function endCopy() {
  for (const signal of SIGNALS) process.removeAllListeners(signal).on(signal, () => {})
  process.kill(0, 'SIGINT')
  setTimeout(() => process.exit(1), GRACE_MS)
}

/**
 * Runs a program of these sources from a copy of them, in a process group of its own, with its temporary files beside. Returns only in the
 * copy, where servers start from a bundle. However it ends, by a signal or because whoever started it is gone, too, no process and no file
 * of it is left; if this process is killed, the copy ends, and its folder stays.
 */
export async function runCopy(program: string): Promise<void> {
  if (process.env[IS_COPY]) {
    process.once('SIGTERM', endCopy)
    whenOrphaned(() => process.kill(0, 'SIGKILL'))
    spawnSync(process.execPath, [join(ROOT, 'scripts/bundle-server.ts')], { stdio: ['ignore', 'ignore', 'inherit'] })
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'postern-soak-'))
  const end = () => group.end()
  for (const signal of SIGNALS) process.on(signal, end)
  whenOrphaned(end)
  chmodSync(folder, 0o711) // PostgreSQL may run as another account
  const copy = join(folder, 'postern')
  copySources(copy)
  const env = { ...process.env, [IS_COPY]: '1', TMPDIR: folder }
  const group = startGroup(process.execPath, [join(copy, relative(ROOT, program)), ...process.argv.slice(2)], { env, stdio: 'inherit' })
  const code = await group.ended
  await unmountBelow(folder)
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  process.exit(code ?? 1)
}
