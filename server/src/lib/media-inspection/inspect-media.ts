import { kindOfFile } from './file-kind.ts'
import type { Inspected, InspectedFile, InspectMedia } from './inspected.ts'

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
