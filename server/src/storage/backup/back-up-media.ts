import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { FOLDERS, type MediaFiles } from '../media-files.ts'
import { writeNewFile } from './backup-folder.ts'
import { type BackedUpFile, type Manifest, MEDIA } from './manifest.ts'

/**
 * Copies the files of media into a backup. Called after the database was read: files are added and never changed, so all that the database
 * refers to are there. One that is deleted meanwhile is left out.
 */
export async function backUpMedia(media: MediaFiles, folder: string): Promise<BackedUpFile[]> {
  const files: BackedUpFile[] = []
  const keys = (await Promise.all(FOLDERS.map((folder) => media.list(folder)))).flat()
  for (const key of keys.sort()) {
    const found = await media.read(key)
    const path = `${MEDIA}/${key}`
    if (found) files.push({ path, ...(await writeNewFile(join(folder, path), found.stream)) })
  }
  return files
}

/** Puts the files of media of a backup into a store. Those that are there are left alone: no file has the name of another. */
export async function restoreMedia(folder: string, { files }: Manifest, media: MediaFiles): Promise<void> {
  for (const { path, bytes } of files.filter(({ path }) => path.startsWith(`${MEDIA}/`))) {
    const key = path.slice(MEDIA.length + 1)
    if ((await media.size(key)) === bytes) continue
    await media.write(key, createReadStream(join(folder, path)), { maxBytes: bytes })
  }
}
