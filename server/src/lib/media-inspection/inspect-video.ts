import { SECOND_MS } from '../time.ts'
import { type BoundedFile, boundedFile, cutOff } from './bounded-file.ts'
import { type Box, boxesBetween } from './boxes.ts'
import { fragmentUnits } from './fragment-duration.ts'
import { type Inspected, type InspectedFile, UnusableMedia } from './inspected.ts'
import { assertDrawable, assertPlayable } from './limits.ts'
import { type Duration, type Movie, readMovie } from './movie.ts'

type VideoMime = Extract<Inspected, { kind: 'video' }>['mime']

const WINDOW_BYTES = 1024
const MAX_BYTES = 16 * 1024 * 1024

interface TopLevel {
  moov: Box
  fragments: Box[]
}

/** The header of the movie, which may be at either end, and its fragments. Every part of the file must be whole. */
async function topLevelOf(file: BoundedFile): Promise<TopLevel> {
  const fragments: Box[] = []
  let moov: Box | undefined
  let hasData = false
  let end = 0
  for await (const box of boxesBetween(file, 0, file.size)) {
    if (box.type === 'moov') moov ??= box
    if (box.type === 'moof') fragments.push(box)
    if (box.type === 'mdat') hasData = true
    end = box.end
  }
  if (end < file.size || !moov || !hasData) throw cutOff('video')
  return { moov, fragments }
}

const msOf = ({ timescale, units }: Duration): number | undefined =>
  units === undefined || timescale === 0 ? undefined : Math.round((units / timescale) * SECOND_MS)

async function durationMsOf(file: BoundedFile, { duration, video, isFragmented, defaultFrameUnits }: Movie, fragments: readonly Box[]) {
  const told = msOf(duration) ?? msOf(video.duration)
  if (told !== undefined || !isFragmented) return told
  return msOf({ timescale: video.duration.timescale, units: await fragmentUnits(file, fragments, video.id, defaultFrameUnits) })
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}

/** Size as it is shown, aspect ratio in lowest terms, and duration of an MP4 or MOV. */
export async function inspectVideo(file: InspectedFile, mime: VideoMime): Promise<Inspected> {
  const bounded = boundedFile(file, { name: 'video', windowBytes: WINDOW_BYTES, maxBytes: MAX_BYTES })
  const { moov, fragments } = await topLevelOf(bounded)
  const movie = await readMovie(bounded, moov)
  const { width, height } = movie.video
  assertDrawable('video', { width, height })
  const durationMs = await durationMsOf(bounded, movie, fragments)
  if (!durationMs) throw new UnusableMedia('The video does not say how long it is. Export it again.')
  assertPlayable(durationMs)
  const divisor = greatestCommonDivisor(width, height)
  return { kind: 'video', mime, width, height, durationMs, aspectRatio: [width / divisor, height / divisor] }
}
