import type { BoundedFile } from './bounded-file.ts'
import { type Box, boundedVideo, boxesBetween, childrenOf } from './boxes.ts'
import { type InspectedFile, UnusableMedia } from './inspected.ts'

/** Units that a time is counted in, in a second, and a number of them; undefined where the file does not say it. */
export interface Duration {
  timescale: number
  units: number | undefined
}

interface VideoTrack {
  id: number
  width: number
  height: number
  duration: Duration
}

export interface Movie {
  duration: Duration
  video: VideoTrack
  /** Whether frames are described behind the header, in fragments. */
  isFragmented: boolean
  /** The duration of a frame in fragments that say none. */
  defaultFrameUnits: number
}

const MAX_TRACKS = 32
/** The longest of the boxes that are read has 96 bytes of these fields (ISO 14496-12 §8.3.2). */
const FIELD_BYTES = 96

/** The fields of a full box, which has a version and flags before them; what a short box lacks reads as 0. */
async function fieldsOf(file: BoundedFile, box: Box): Promise<{ version: number; fields: Buffer }> {
  const read = await file.bytes(box.start, Math.min(box.end - box.start, FIELD_BYTES))
  const fields = Buffer.alloc(FIELD_BYTES)
  fields.set(read)
  return { version: fields[0]!, fields }
}

/** A number of units, or undefined for 0 and for all bits set: unknown. */
function unitsAt(fields: Buffer, version: number, at: number): number | undefined {
  if (version === 0) return [0, 0xffff_ffff].includes(fields.readUInt32BE(at)) ? undefined : fields.readUInt32BE(at)
  const units = fields.readBigUInt64BE(at)
  return units === 0n || units === 0xffff_ffff_ffff_ffffn ? undefined : Number(units)
}

/** The fields of `mvhd` and `mdhd` (ISO 14496-12 §8.2.2, ISO 14496-12 §8.4.2). */
async function durationIn(file: BoundedFile, box: Box): Promise<Duration> {
  const { version, fields } = await fieldsOf(file, box)
  const at = version === 0 ? 12 : 20
  return { timescale: fields.readUInt32BE(at), units: unitsAt(fields, version, at + 4) }
}

/** Width and height as they are shown, from `tkhd` (ISO 14496-12 §8.3.2): a matrix may turn the picture by a quarter. */
async function trackHeader(file: BoundedFile, box: Box) {
  const { version, fields } = await fieldsOf(file, box)
  const matrixAt = version === 0 ? 40 : 52
  const isTurned = fields.readInt32BE(matrixAt) === 0 && fields.readInt32BE(matrixAt + 4) !== 0
  const width = Math.round(fields.readUInt32BE(matrixAt + 36) / 0x1_0000)
  const height = Math.round(fields.readUInt32BE(matrixAt + 40) / 0x1_0000)
  return { id: fields.readUInt32BE(version === 0 ? 12 : 20), ...(isTurned ? { width: height, height: width } : { width, height }) }
}

/** A track, if it is one of pictures. */
async function videoTrackOf(file: BoundedFile, track: Box): Promise<VideoTrack | undefined> {
  const { tkhd, mdia } = await childrenOf(file, track, ['tkhd', 'mdia'])
  if (!tkhd || !mdia) return undefined
  const { hdlr, mdhd } = await childrenOf(file, mdia, ['hdlr', 'mdhd'])
  if (!hdlr || !mdhd) return undefined
  const { fields } = await fieldsOf(file, hdlr)
  if (fields.toString('latin1', 8, 12) !== 'vide') return undefined
  return { ...(await trackHeader(file, tkhd)), duration: await durationIn(file, mdhd) }
}

/** What `mvex` says of fragments (ISO 14496-12 §8.8): their duration in all, and that of a frame of the track. */
async function fragmentDefaults(file: BoundedFile, mvex: Box, trackId: number) {
  let units: number | undefined
  let defaultFrameUnits = 0
  for await (const box of boxesBetween(file, mvex.start, mvex.end)) {
    const { version, fields } = await fieldsOf(file, box)
    if (box.type === 'mehd') units = unitsAt(fields, version, 4)
    if (box.type === 'trex' && fields.readUInt32BE(4) === trackId) defaultFrameUnits = fields.readUInt32BE(12)
  }
  return { units, defaultFrameUnits }
}

/** The header of a movie, `moov`. Only boxes of a fixed length are read, whatever the others claim. */
export async function readMovie(file: BoundedFile, moov: Box): Promise<Movie> {
  const tracks: Box[] = []
  for await (const box of boxesBetween(file, moov.start, moov.end)) if (box.type === 'trak') tracks.push(box)
  if (tracks.length > MAX_TRACKS) throw new UnusableMedia(`The video has more than ${MAX_TRACKS} tracks.`)
  const { mvhd, mvex } = await childrenOf(file, moov, ['mvhd', 'mvex'])
  if (!mvhd) throw new UnusableMedia('The video is damaged: its header is missing.')
  for (const track of tracks) {
    const video = await videoTrackOf(file, track)
    if (!video) continue
    const duration = await durationIn(file, mvhd)
    const { units, defaultFrameUnits } = mvex ? await fragmentDefaults(file, mvex, video.id) : { units: undefined, defaultFrameUnits: 0 }
    return { duration: { ...duration, units: duration.units ?? units }, video, isFragmented: mvex !== undefined, defaultFrameUnits }
  }
  throw new UnusableMedia('The file has no video track.')
}

/** The first frame and what stands before it have far less. */
const HEAD_BYTES = 8 * 1024 * 1024
/** Of the headers behind the head: those of hours have a few. */
const MAX_HEADER_BYTES = 32 * 1024 * 1024

/** Part of a file: from `start` to before `end`. */
interface Part {
  start: number
  end: number
}

/** What a decoder of the first frame of a video reads: the head of the file, and its header where it is behind that. */
export async function movieHead(file: InspectedFile): Promise<Part[]> {
  const parts = [{ start: 0, end: Math.min(file.size, HEAD_BYTES) }]
  for await (const { type, start, end } of boxesBetween(boundedVideo(file), 0, file.size)) {
    if (type === 'moof') break
    // The header of a box has 16 bytes at most.
    if (type === 'moov' && end > HEAD_BYTES && end - start <= MAX_HEADER_BYTES) parts.push({ start: start - 16, end })
  }
  return parts
}
