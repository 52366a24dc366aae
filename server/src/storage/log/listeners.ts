import type { Delivery, EventLog } from '../event-log.ts'

/** Whoever listens to an event log: each is set once, by `on…`, and called by the log. */
export function createListeners() {
  let held: (deliveries: Delivery[]) => void = () => {}
  let work: () => void = () => {}
  let stalled: (error: unknown | null) => void = () => {}
  const port: Pick<EventLog, 'onHeld' | 'onWork' | 'onStalled'> = {
    onHeld(listener) {
      held = listener
    },
    onWork(listener) {
      work = listener
    },
    onStalled(listener) {
      stalled = listener
    },
  }
  return {
    port,
    held: (deliveries: Delivery[]) => held(deliveries),
    work: () => work(),
    stalled: (error: unknown | null) => stalled(error),
  }
}
