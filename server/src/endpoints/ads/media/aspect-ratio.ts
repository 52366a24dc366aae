/** A ratio of width to height, in whole numbers. */
export type Ratio = readonly [width: number, height: number]

/** What a ratio may differ from one that is asked for: sides are whole pixels, and those of a video often even ones. */
const TOLERANCE = 0.01

/** Ratios that media are told to have when theirs is so near. */
const USUAL: readonly Ratio[] = [
  [16, 9],
  [9, 16],
  [1, 1],
  [4, 3],
  [3, 4],
]

/** Whether sides have a ratio, within one percent. */
export const hasRatio = (width: number, height: number, [across, down]: Ratio): boolean =>
  Math.abs((width * down) / (height * across) - 1) <= TOLERANCE

const divisorOf = (one: number, other: number): number => (other === 0 ? one : divisorOf(other, one % other))

/** The ratio of sides: a usual one that is near, else the sides without their common divisor. */
export function ratioOf(width: number, height: number): Ratio {
  const divisor = divisorOf(width, height)
  return USUAL.find((ratio) => hasRatio(width, height, ratio)) ?? [width / divisor, height / divisor]
}
