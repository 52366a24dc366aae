import { SECOND_MS } from '../time.ts'
import { type BoundedFile, cutOff } from './bounded-file.ts'
import { boundedVideo, boxesBetween } from './boxes.ts'
import { fragmentUnits } from './fragment-duration.ts'
import { type Inspected, type InspectedFile, UnusableMedia } from './inspected.ts'
import { assertDrawable, assertPlayable } from './limits.ts'
import { type Duration, type Movie, readMovie } from './movie.ts'

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
