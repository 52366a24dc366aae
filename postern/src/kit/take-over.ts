import { findPostern } from '../take-over/run/find-postern.ts'
import { type Hosts, type TakeOver, takeOver } from '../take-over/take-over.ts'

/** The hosts of a server that this process can take over, and those that it has. */
export interface TakeOvers {
  takeOver(): TakeOver
  /** Ends what is still taken over. */
  end(): Promise<void>
}

/** Asks a server which hosts it stands in for. */
export async function createTakeOvers(url: string): Promise<TakeOvers> {
  const hosts: Hosts | undefined = (await findPostern(url))?.hosts
  const made = new Set<TakeOver>()
  return {
    takeOver() {
      if (!hosts) throw new Error(`${url} is no Postern in development, which alone stands in for other hosts`)
      const over = takeOver(hosts)
      made.add(over)
      return over
    },
    async end() {
      await Promise.all([...made].map((over) => over[Symbol.asyncDispose]()))
    },
  }
}
