import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What V8 writes for `NODE_V8_COVERAGE`. Offsets are those of the TypeScript file, because its types become spaces. */
interface V8Coverage {
  result: { url: string; functions: { ranges: { startOffset: number; endOffset: number; count: number }[] }[] }[]
}

/** Which parts of the source files one test file ran. */
export type Coverage = Map<string, V8Coverage['result'][number]['functions']>

/** Reads the coverage of all processes of one run. Keys are paths relative to `root`. */
export async function readCoverage(folder: string, root: string): Promise<Coverage> {
  const coverage: Coverage = new Map()
  for (const name of await readdir(folder)) {
    const { result } = JSON.parse(await readFile(join(folder, name), 'utf8')) as V8Coverage
    for (const { url, functions } of result) {
      if (!url.startsWith('file:')) continue
      const file = relative(root, fileURLToPath(url))
      if (!file.startsWith('server/src/')) continue
      coverage.set(file, [...(coverage.get(file) ?? []), ...functions])
    }
  }
  return coverage
}

/** Whether a place was run: the smallest range around it has a count, in any process. */
export function wasRun(coverage: Coverage, file: string, offset: number): boolean {
  const runs = new Map<string, number>()
  let size = Number.POSITIVE_INFINITY
  for (const { ranges } of coverage.get(file) ?? [])
    for (const { startOffset, endOffset, count } of ranges) {
      if (offset < startOffset || offset >= endOffset) continue
      const range = `${startOffset}-${endOffset}`
      runs.set(range, (runs.get(range) ?? 0) + count)
      size = Math.min(size, endOffset - startOffset)
    }
  return [...runs].some(([range, count]) => count > 0 && rangeSize(range) === size)
}

function rangeSize(range: string): number {
  const [start, end] = range.split('-').map(Number)
  return end! - start!
}

/** Whether a function of the file was called: more than importing it does. */
export const wasCalled = (coverage: Coverage, file: string): boolean =>
  (coverage.get(file) ?? []).some(({ ranges: [whole] }) => whole!.startOffset > 0 && whole!.count > 0)
