import { median } from './statistics.ts'
import type { ThreadSample } from './thread-cpu.ts'

/** CPU time of a delivery in microseconds: of the process, and of its threads. */
export interface CpuShares {
  total: number
  main: number
  log: number
  /** Of all sender threads together. */
  sender: number
}

export function sharesOf(samples: readonly ThreadSample[]): CpuShares {
  const perDelivery = (micros: (sample: ThreadSample) => number) => median(samples.map((sample) => micros(sample) / sample.count))
  return {
    total: perDelivery(({ cpuMicros }) => cpuMicros),
    main: perDelivery(({ threads }) => threads.main),
    log: perDelivery(({ threads }) => threads.log),
    sender: perDelivery(({ threads }) => threads.senders),
  }
}

const PER_SECOND = 1_000_000

/** What a pipeline with these shares delivers: as much as its slowest thread, and as all cores together can do. */
export function deliveriesPerSecond({ total, main, log, sender }: CpuShares, cores: number, threads: number): number {
  const microsOf = [main, log, threads === 0 ? 0 : sender / threads, total / cores]
  return PER_SECOND / Math.max(...microsOf)
}
