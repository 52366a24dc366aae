import { type InspectedFile, UnusableMedia } from './inspected.ts'

/** The library asks for so many bytes; what it makes of them is bounded by their number. */
const SAMPLE_BYTES = 4100

/** What is served, under the media types that the library has for it. */
const served = {
  'image/jpeg': 'image/jpeg',
  'image/png': 'image/png',
  'image/apng': 'image/png',
  'image/webp': 'image/webp',
  'image/gif': 'image/gif',
  'video/mp4': 'video/mp4',
  'video/x-m4v': 'video/mp4',
  'video/quicktime': 'video/quicktime',
} as const

export type MediaMime = (typeof served)[keyof typeof served]

const NAMES = 'a JPEG, PNG, WEBP, GIF, MP4 or MOV'

/** What the first bytes of a file say it is; never what its name or its sender says. */
export async function kindOfFile(file: InspectedFile): Promise<MediaMime> {
  if (file.size === 0) throw new UnusableMedia('The file is empty.')
  const { fileTypeFromBuffer } = await import('file-type')
  const sample = await file.read(0, Math.min(file.size, SAMPLE_BYTES))
  // The library throws on some files that end too early for what they begin as.
  const found = await fileTypeFromBuffer(sample).catch(() => undefined)
  if (!found) throw new UnusableMedia(`The file is not ${NAMES}.`)
  if (found.mime in served) return served[found.mime as keyof typeof served]
  throw new UnusableMedia(`The file is ${found.ext.toUpperCase()} (${found.mime}), not ${NAMES}.`)
}
