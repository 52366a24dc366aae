import { HOUR_MS } from '../time.ts'
import { UnusableMedia } from './inspected.ts'

/** What a category allows is less; these are for all media (public practice). */
const MIN_SIDE = 4
export const MAX_SIDE = 8192
const MAX_DURATION_MS = 4 * HOUR_MS
/** No category takes a larger GIF. */
export const MAX_GIF_BYTES = 15 * 1024 * 1024

/** Throws `UnusableMedia` for a size that no viewer draws. */
export function assertDrawable(what: string, { width, height }: { width: number; height: number }) {
  if (Math.min(width, height) >= MIN_SIDE && Math.max(width, height) <= MAX_SIDE) return
  throw new UnusableMedia(`The ${what} is ${width} x ${height} pixels. Each side must have ${MIN_SIDE} to ${MAX_SIDE} pixels.`)
}

/** Throws `UnusableMedia` for a video that is longer than any may be. */
export function assertPlayable(durationMs: number) {
  if (durationMs <= MAX_DURATION_MS) return
  const hours = (ms: number) => Math.round((ms / HOUR_MS) * 10) / 10
  throw new UnusableMedia(`The video is ${hours(durationMs)} hours long. It must be at most ${hours(MAX_DURATION_MS)} hours long.`)
}

/** Throws `UnusableMedia` for a GIF that is larger than any may be. */
export function assertGifSize(bytes: number) {
  if (bytes <= MAX_GIF_BYTES) return
  throw new UnusableMedia(`The GIF has ${bytes} bytes. It must have at most ${MAX_GIF_BYTES} (15 MB).`)
}
