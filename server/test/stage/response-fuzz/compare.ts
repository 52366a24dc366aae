import { createConnection } from '../../../src/delivery/send/connection.ts'
import { createClock } from '../../../src/lib/clock.ts'
import { createRandom } from '../hostile/random.ts'
import { createUndiciConnection } from '../undici/undici-connection.ts'
import { createFuzzCase, type FuzzCase } from './fuzz-case.ts'
import { listedDifference } from './listed-differences.ts'
import { type CaseOutcome, runCase } from './run-case.ts'

const AT_ONCE = 500

export interface Difference {
  fuzzCase: FuzzCase
  ours: CaseOutcome
  undici: CaseOutcome
}

export interface Comparison {
  /** How many cases ended the same. */
  same: number
  /** How many differ in each listed way. */
  listed: Record<string, number>
  differences: Difference[]
}

/** Runs so many cases of a seed on both implementations. `progress` is called with the number of cases so far. */
export async function compareConnections(count: number, seed: number, progress: (done: number) => void = () => {}): Promise<Comparison> {
  const random = createRandom(seed)
  const clock = createClock()
  const result: Comparison = { same: 0, listed: {}, differences: [] }

  const take = (difference: Difference) => {
    const { fuzzCase, ours, undici } = difference
    if (JSON.stringify(ours) === JSON.stringify(undici)) {
      result.same += 1
      return
    }
    const name = listedDifference(fuzzCase, ours, undici)
    if (name === undefined) result.differences.push(difference)
    else result.listed[name] = (result.listed[name] ?? 0) + 1
  }

  for (let done = 0; done < count; done += AT_ONCE) {
    const cases = Array.from({ length: Math.min(AT_ONCE, count - done) }, () => createFuzzCase(random))
    const ours = await Promise.all(cases.map((fuzzCase) => runCase(createConnection, clock, fuzzCase)))
    const undici = await Promise.all(cases.map((fuzzCase) => runCase(createUndiciConnection, clock, fuzzCase)))
    for (const [place, fuzzCase] of cases.entries()) take({ fuzzCase, ours: ours[place]!, undici: undici[place]! })
    progress(done + cases.length)
  }
  return result
}

/** A case and what became of it, in one line. */
export function describeDifference({ fuzzCase, ours, undici }: Difference): string {
  const pieces = fuzzCase.pieces.map((piece) => piece.toString('latin1').slice(0, 400))
  return JSON.stringify({ pieces, next: fuzzCase.next, reads: fuzzCase.reads, ours, undici })
}
