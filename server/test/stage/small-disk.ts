import { execFile } from 'node:child_process'
import { chown, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { accountBesidesRoot } from './postgres-server.ts'

const run = promisify(execFile)
const BLOCK = Buffer.alloc(64 * 1024)

export interface SmallDisk extends AsyncDisposable {
  /** Empty, and PostgreSQL's own. */
  folder: string
  /** Leaves no room. */
  fill(): Promise<void>
  /** Makes room again. */
  free(): Promise<void>
}

/** Writes until the disk is full, to the last byte. */
async function writeUntilFull(path: string) {
  const file = await open(path, 'w')
  try {
    for (let block = BLOCK; block.length > 0; ) {
      await file.write(block).catch((error) => {
        if (error.code !== 'ENOSPC') throw error
        block = block.subarray(0, Math.floor(block.length / 2))
      })
    }
  } finally {
    await file.close()
  }
}

/** A disk of its own in memory; undefined where none can be mounted: that takes root. */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk | undefined> {
  const mountPoint = await mkdtemp(join(tmpdir(), 'postern-disk-'))
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', mountPoint]).catch(() => undefined)
  if (!mounted) return void (await rm(mountPoint, { recursive: true }))
  const folder = join(mountPoint, 'database')
  await run('mkdir', [folder])
  const account = await accountBesidesRoot()
  if (account) for (const place of [mountPoint, folder]) await chown(place, account.uid, account.gid)
  const ballast = join(mountPoint, 'ballast')
  return {
    folder,
    fill: () => writeUntilFull(ballast),
    free: () => rm(ballast),
    async [Symbol.asyncDispose]() {
      await run('umount', [mountPoint])
      await rm(mountPoint, { recursive: true })
    },
  }
}
