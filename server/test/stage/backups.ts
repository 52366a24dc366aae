import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordTypes } from '../../src/endpoints/index.ts'
import { createClock } from '../../src/lib/clock.ts'
import { backUp, type Manifest, type Restored, restore } from '../../src/storage/backup/backup.ts'
import { createMediaFolder } from '../../src/storage/media-files/folder.ts'

const nowMs = () => createClock().now()

/** A folder for backups; gone when disposed of. */
export async function backupFolder(): Promise<{ at(name: string): string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-backups-'))
  return { at: (name) => join(folder, name), [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

export const backUpFrom = (url: string, folder: string, media?: string): Promise<Manifest> =>
  backUp({ url, folder, media: media === undefined ? undefined : createMediaFolder(media), version: '0.0.0', nowMs })

export const restoreTo = (url: string, folder: string, media?: string, asCopy = false): Promise<Restored> =>
  restore({ url, folder, media: media === undefined ? undefined : createMediaFolder(media), recordTypes, asCopy, nowMs })
