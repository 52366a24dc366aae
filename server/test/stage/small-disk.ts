import { execFile } from 'node:child_process'
import { chown, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { accountBesidesRoot } from './postgres-server.ts'
import type { Room } from './room.ts'

const run = promisify(execFile)
const BLOCK = Buffer.alloc(64 * 1024)

export interface SmallDisk extends Room {
  /** Empty, and PostgreSQL's own. */
  folder: string
}

/** Writes until the disk is full, to the last byte, at the end of what was written before. */
async function writeUntilFull(path: string) {
  const file = await open(path, 'a')
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
    take: () => writeUntilFull(ballast),
    give: () => rm(ballast),
    async [Symbol.asyncDispose]() {
      await run('umount', [mountPoint])
      await rm(mountPoint, { recursive: true })
    },
  }
}

/** Unmounts what a process that was killed has left mounted below a folder. */
export async function unmountBelow(folder: string) {
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '')
  for (const [, mountPoint] of mounts.matchAll(/^\S+ (\S+)/gm))
    if (mountPoint!.startsWith(`${folder}/`)) await run('umount', ['-l', mountPoint!])
}

/** Whether a disk of its own can be had here. */
export async function canMount(): Promise<boolean> {
  const disk = await mountSmallDisk(1)
  await disk?.[Symbol.asyncDispose]()
  return disk !== undefined
}
