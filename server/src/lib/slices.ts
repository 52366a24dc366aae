import { thisRoundIsOver } from './clock.ts'

/** So much work is done without letting others pass. */
const SLICE_BYTES = 1024 * 1024

/** Maps large items one after the other, and lets everybody else pass whenever those since the last time came to a mebibyte. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
  bytesOf: (result: Result) => number,
): Promise<Result[]> {
  const results: Result[] = []
  let bytes = 0
  for (const [index, item] of items.entries()) {
    const result = map(item, index)
    results.push(result)
    bytes += bytesOf(result)
    if (bytes < SLICE_BYTES) continue
    bytes = 0
    await thisRoundIsOver()
  }
  return results
}
