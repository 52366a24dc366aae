import type { Clock, Timer } from '../../lib/clock.ts'
import type { Update } from './updates.ts'

/** Updates are gathered so long: at most ten frames a second. */
const FRAME_MS = 100

/** Of more updates in one frame only the number is told. */
const MOST_IN_FRAME = 200

/** Gathers updates for a moment. */
export function createGathering(clock: Clock, gathered: (updates: readonly Update[], skipped: number) => void) {
  let updates: Update[] = []
  let skipped = 0
  let timer: Timer | undefined
  const send = () => {
    const [together, more] = [updates, skipped]
    timer = undefined
    updates = []
    skipped = 0
    gathered(together, more)
  }
  const sendSoon = () => {
    timer ??= clock.after(FRAME_MS, send, { isUpkeep: true })
  }
  const add = (make: () => Update) => {
    if (updates.length < MOST_IN_FRAME) updates.push(make())
    else skipped += 1
    sendSoon()
  }
  return {
    add,
    /** Adds updates, and a number of others that cannot be told. */
    addAll(more: readonly Update[], untold: number) {
      for (const update of more) add(() => update)
      skipped += untold
      sendSoon()
    },
    stop: () => timer?.cancel(),
  }
}
