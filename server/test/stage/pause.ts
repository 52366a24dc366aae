import { setTimeout as after } from 'node:timers/promises'

const PAUSE_MS = 4
const LONGEST_PAUSE_MS = 25

/**
 * Between two questions whether it is so: whoever waits leaves the processor to those whom they wait for, and the more, the oftener they have
 * `asked`.
 */
export const pause = (asked = 0) => after(Math.min(PAUSE_MS + asked / 2, LONGEST_PAUSE_MS))

/** Asks until it is so. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let asked = 0; !(await isSo()); asked += 1) await pause(asked)
}

/** How long a test waits for what must come: a busy machine may make it late, not red. */
export const PATIENCE_MS = 60_000
