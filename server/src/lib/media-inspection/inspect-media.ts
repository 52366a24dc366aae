import { type Inspected, type InspectedFile, type InspectMedia, UnusableMedia } from './inspected.ts'

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

type MediaMime = (typeof served)[keyof typeof served]

const NAMES = 'a JPEG, PNG, WEBP, GIF, MP4 or MOV'

/** What the first bytes of a file say it is; never what its name or its sender says. */
async function kindOfFile(file: InspectedFile): Promise<MediaMime> {
  if (file.size === 0) throw new UnusableMedia('The file is empty.')
  const { fileTypeFromBuffer } = await import('file-type')
  const sample = await file.read(0, Math.min(file.size, SAMPLE_BYTES))
  // The library throws on some files that end too early for what they begin as.
  const found = await fileTypeFromBuffer(sample).catch(() => undefined)
  if (!found) throw new UnusableMedia(`The file is not ${NAMES}.`)
  if (found.mime in served) return served[found.mime as keyof typeof served]
  throw new UnusableMedia(`The file is ${found.ext.toUpperCase()} (${found.mime}), not ${NAMES}.`)
}

async function inspectAs(mime: Inspected['mime'], file: InspectedFile): Promise<Inspected> {
  if (mime === 'image/gif') return (await import('./inspect-gif.ts')).inspectGif(file)
  if (mime === 'video/mp4' || mime === 'video/quicktime') return (await import('./inspect-video.ts')).inspectVideo(file, mime)
  return (await import('./inspect-image.ts')).inspectImage(file, mime)
}

/**
 * What a file of media is: kind, size, aspect ratio, duration, by its contents alone. Reads bounded parts of it, decodes nothing, and loads
 * what it needs with the first call.
 * @throws UnusableMedia with a sentence for people: what is wrong with the file.
 */
export const inspectMedia: InspectMedia = async (file) => inspectAs(await kindOfFile(file), file)
