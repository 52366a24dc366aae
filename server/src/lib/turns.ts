/** Too many wait already. */
export class TooManyWaiting extends Error {}

/** Lets at most `atOnce` run at the same time and at most `mostWaiting` wait; whoever comes beyond is refused with `TooManyWaiting`. */
export function createTurns(atOnce: number, mostWaiting: number) {
  const waiting: (() => void)[] = []
  let running = 0

  return async <T>(run: () => Promise<T>): Promise<T> => {
    if (running < atOnce) running += 1
    else if (waiting.length >= mostWaiting) throw new TooManyWaiting('too many wait already')
    else await new Promise<void>((begin) => void waiting.push(begin))
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
