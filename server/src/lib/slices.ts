import { endOfTurn } from './clock.ts'
import type { GiveWay } from './fair-turns.ts'

/** How much work is done before others are let pass. */
const SLICE_BYTES = 128 * 1024

/** Maps large items one by one, and lets others pass after each 128 KiB. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
  bytesOf: (result: Result, index: number) => number,
  giveWay: GiveWay = endOfTurn,
): Promise<Result[]> {
  const results: Result[] = []
  let bytes = 0
  for (let index = 0; index < items.length; index += 1) {
    const result = map(items[index]!, index)
    results.push(result)
    bytes += bytesOf(result, index)
    if (bytes < SLICE_BYTES) continue
    bytes = 0
    await giveWay()
  }
  return results
}

/** Does work that yields where others may pass. What never yields is done at once. */
export function runInTurns<Result>(work: Generator<undefined, Result>, giveWay: GiveWay = endOfTurn): Result | Promise<Result> {
  const step = work.next()
  return step.done ? step.value : goOn(work, giveWay)
}

async function goOn<Result>(work: Generator<undefined, Result>, giveWay: GiveWay): Promise<Result> {
  for (;;) {
    await giveWay()
    const step = work.next()
    if (step.done) return step.value
  }
}
