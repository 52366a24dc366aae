import { cutText } from '../../../lib/text.ts'
import type { SeedReport } from './load-seed.ts'

const LONGEST = 2000

/** What of a seed stands otherwise, as a sentence for the log; undefined when nothing does. */
export function sayDifferences({ differing }: SeedReport): string | undefined {
  if (differing.length === 0) return undefined
  const things = differing.map(({ kind, id, fields = [] }) => `${kind} ${id} (${fields.join(', ')})`)
  return cutText(`what stands is not what the seed says, and stays as it is: ${things.join('; ')}`, LONGEST)
}
