import { setTimeout as after } from 'node:timers/promises'

const PAUSE_MS = 4

/** Between two questions whether it is so: whoever waits leaves the processor to those whom they wait for. */
export const pause = () => after(PAUSE_MS)

/** How long a test waits for what must come: a busy machine may make it late, not red. */
export const PATIENCE_MS = 60_000
