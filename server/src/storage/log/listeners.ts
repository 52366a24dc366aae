import type { CommitListener, Delivery, DeliveryKey, EventLog, StreamListener, TakeOverListener } from '../event-log.ts'

/** The listeners of an event log. Each `on…` method sets one; the log calls them. */
export function createListeners() {
  let held: (deliveries: Delivery[]) => void = () => {}
  let work: () => void = () => {}
  let lost: (isLost: (delivery: DeliveryKey) => boolean) => number = () => 0
  let stalled: (error: unknown | null) => void = () => {}
  let committed: CommitListener = () => {}
  let tookOver: TakeOverListener = () => {}
  let stream: StreamListener = { committed() {}, mayHave() {}, missed() {} }
  const port: Pick<EventLog, 'onHeld' | 'onWork' | 'onLost' | 'onStalled' | 'onCommit' | 'onTakeOver' | 'onStream'> = {
    onHeld(listener) {
      held = listener
    },
    onWork(listener) {
      work = listener
    },
    onLost(listener) {
      lost = listener
    },
    onStalled(listener) {
      stalled = listener
    },
    onCommit(listener) {
      committed = listener
    },
    onTakeOver(listener) {
      tookOver = listener
    },
    onStream(listener) {
      stream = listener
    },
  }
  return {
    port,
    held: (deliveries: Delivery[]) => held(deliveries),
    stream: () => stream,
    work: () => work(),
    lost: (isLost: (delivery: DeliveryKey) => boolean) => lost(isLost),
    stalled: (error: unknown | null) => stalled(error),
    committed: ((durationMs, succeeded) => committed(durationMs, succeeded)) satisfies CommitListener,
    tookOver: ((processes, deliveries) => tookOver(processes, deliveries)) satisfies TakeOverListener,
  }
}
