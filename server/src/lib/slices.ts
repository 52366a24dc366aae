import { endOfTurn } from './clock.ts'

/** How much work is done before yielding to the event loop. */
const SLICE_BYTES = 1024 * 1024

/** Maps large items one by one, and yields to the event loop after each mebibyte. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
  bytesOf: (result: Result, index: number) => number,
): Promise<Result[]> {
  const results: Result[] = []
  let bytes = 0
  for (const [index, item] of items.entries()) {
    const result = map(item, index)
    results.push(result)
    bytes += bytesOf(result, index)
    if (bytes < SLICE_BYTES) continue
    bytes = 0
    await endOfTurn()
  }
  return results
}
