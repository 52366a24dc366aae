/** A sequence of numbers that is the same for the same seed (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** A number from 0 on, below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from 0 on, below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  /** True in a share of all cases. */
  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }

  /** A whole number whose mean is this, and which is often small and rarely great. */
  geometric(mean: number): number {
    return Math.floor(Math.log(1 - this.next()) / Math.log(mean / (1 + mean)))
  }
}

/** Chooses places of a list so that the first is the most frequent, and the n-th n times rarer (Zipf). */
export function createZipf(size: number): (random: Random) => number {
  const sums = new Float64Array(size)
  let sum = 0
  for (let place = 0; place < size; place += 1) {
    sum += 1 / (place + 1)
    sums[place] = sum
  }
  return (random) => {
    const wanted = random.next() * sum
    let [low, high] = [0, size - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sums[middle]! > wanted) high = middle
      else low = middle + 1
    }
    return low
  }
}
