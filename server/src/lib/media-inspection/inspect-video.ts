import { SECOND_MS } from '../time.ts'
import { type BoundedFile, cutOff } from './bounded-file.ts'
import { type Box, boundedVideo, boxesBetween } from './boxes.ts'
import { type Inspected, type InspectedFile, UnusableMedia } from './inspected.ts'
import { assertDrawable, assertPlayable } from './limits.ts'
import { type Duration, type Movie, readMovie } from './movie.ts'

const DATA_OFFSET = 0x1
const DESCRIPTION = 0x2
const FIRST_FLAGS = 0x4
const DEFAULT_DURATION = 0x8
const FRAME_DURATION = 0x100
const FRAME_FIELDS = [0x100, 0x200, 0x400, 0x800]
const FRAMES_AT_ONCE = 1024

const has = (flags: number, flag: number) => (flags & flag ? 1 : 0)

/** `tfhd` (ISO 14496-12 §8.8.7): the track, and the duration of its frames if the fragment has one of its own. */
async function fragmentHeader(file: BoundedFile, { start }: Box) {
  const head = await file.bytes(start, 8)
  const flags = head.readUIntBE(1, 3)
  const trackId = head.readUInt32BE(4)
  if (!has(flags, DEFAULT_DURATION)) return { trackId }
  const at = start + 8 + 8 * has(flags, DATA_OFFSET) + 4 * has(flags, DESCRIPTION)
  return { trackId, frameUnits: (await file.bytes(at, 4)).readUInt32BE() }
}

/** The duration of the frames of a `trun` (ISO 14496-12 §8.8.8). Frames beyond its end are none, however many it claims. */
async function runUnits(file: BoundedFile, { start, end }: Box, frameUnits: number): Promise<number> {
  const head = await file.bytes(start, 8)
  const flags = head.readUIntBE(1, 3)
  const frames = head.readUInt32BE(4)
  if (!has(flags, FRAME_DURATION)) return frames * frameUnits
  const frameBytes = 4 * FRAME_FIELDS.reduce((count, field) => count + has(flags, field), 0)
  let at = start + 8 + 4 * has(flags, DATA_OFFSET) + 4 * has(flags, FIRST_FLAGS)
  let left = Math.min(frames, Math.max(0, Math.floor((end - at) / frameBytes)))
  let units = 0
  while (left > 0) {
    const count = Math.min(left, FRAMES_AT_ONCE)
    const bytes = await file.bytes(at, count * frameBytes)
    for (let frame = 0; frame < count; frame += 1) units += bytes.readUInt32BE(frame * frameBytes)
    at += bytes.length
    left -= count
  }
  return units
}

async function trackUnits(file: BoundedFile, traf: Box, wanted: number, usualFrameUnits: number): Promise<number> {
  let units = 0
  let frameUnits: number | undefined
  for await (const box of boxesBetween(file, traf.start, traf.end)) {
    if (box.type === 'tfhd') {
      const header = await fragmentHeader(file, box)
      if (header.trackId !== wanted) return 0
      frameUnits = header.frameUnits ?? usualFrameUnits
    }
    if (box.type === 'trun' && frameUnits !== undefined) units += await runUnits(file, box, frameUnits)
  }
  return units
}

/** The duration of a track within a fragment (`moof`), in its units. */
async function fragmentUnits(file: BoundedFile, fragment: Box, trackId: number, usualFrameUnits: number): Promise<number> {
  let units = 0
  for await (const box of boxesBetween(file, fragment.start, fragment.end))
    if (box.type === 'traf') units += await trackUnits(file, box, trackId, usualFrameUnits)
  return units
}

type VideoMime = Extract<Inspected, { kind: 'video' }>['mime']

interface TopLevel {
  movie: Movie
  /** The duration of the video track in the fragments. */
  fragmentUnits: number
}

/** The header of the movie, which may be at either end, and its fragments behind it, in one pass. Every part of the file must be whole. */
async function readTopLevel(file: BoundedFile): Promise<TopLevel> {
  let movie: Movie | undefined
  let units = 0
  let hasData = false
  let end = 0
  for await (const box of boxesBetween(file, 0, file.size)) {
    if (box.type === 'moov') movie ??= await readMovie(file, box)
    if (box.type === 'moof' && movie?.isFragmented) units += await fragmentUnits(file, box, movie.video.id, movie.defaultFrameUnits)
    if (box.type === 'mdat') hasData = true
    end = box.end
  }
  if (end < file.size || !movie || !hasData) throw cutOff('video')
  return { movie, fragmentUnits: units }
}

const msOf = ({ timescale, units }: Duration): number =>
  units === undefined || timescale === 0 ? 0 : Math.round((units / timescale) * SECOND_MS)

/** The longest that the file says anywhere: players go by its frames, whatever its header says. 0 if it says nothing. */
const durationMsOf = ({ movie: { duration, video }, fragmentUnits }: TopLevel) =>
  Math.max(msOf(duration), msOf(video.duration), msOf({ ...video.duration, units: fragmentUnits }))

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}

/** Size as it is shown, aspect ratio in lowest terms, and duration of an MP4 or MOV. */
export async function inspectVideo(file: InspectedFile, mime: VideoMime): Promise<Inspected> {
  const found = await readTopLevel(boundedVideo(file))
  const { width, height } = found.movie.video
  assertDrawable('video', { width, height })
  const durationMs = durationMsOf(found)
  if (durationMs === 0) throw new UnusableMedia('The video does not say how long it is. Export it again.')
  assertPlayable(durationMs)
  const divisor = greatestCommonDivisor(width, height)
  return { kind: 'video', mime, width, height, durationMs, aspectRatio: [width / divisor, height / divisor] }
}
