import type { Worker } from 'node:worker_threads'
import type { Sample } from './worker.ts'

/** CPU time of some of the threads of a process, in microseconds. */
export interface ThreadMicros {
  main: number
  /** Of the thread of the event log, which SQLite alone has. */
  log: number
  /** Of all sender threads together. */
  senders: number
}

export interface ThreadSample extends Sample {
  threads: ThreadMicros
}

const totalOf = ({ user, system }: NodeJS.CpuUsage) => user + system

const sumOf = async (workers: readonly Worker[]) =>
  (await Promise.all(workers.map((worker) => worker.cpuUsage()))).reduce((sum, usage) => sum + totalOf(usage), 0)

/** Measures the threads that this process starts from now on. Sender threads are those that it starts last. */
export function threadCpuMeter() {
  const workers: Worker[] = []
  process.on('worker', (worker) => void workers.push(worker))

  const read = async (senders: number): Promise<ThreadMicros> => {
    const first = workers.length - senders
    return {
      main: totalOf(process.threadCpuUsage()),
      log: await sumOf(workers.slice(0, first)),
      senders: await sumOf(workers.slice(first)),
    }
  }

  return {
    /** Starts measuring. The returned function gives the CPU time since then. */
    async start(senders: number): Promise<() => Promise<Pick<ThreadSample, 'threads'>>> {
      const before = await read(senders)
      return async () => {
        const after = await read(senders)
        return { threads: { main: after.main - before.main, log: after.log - before.log, senders: after.senders - before.senders } }
      }
    },
  }
}
