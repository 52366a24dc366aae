// A reporter of node:test that prints nothing but how many tests of a file passed, failed and so on, as JSON.
import type { TestEvent } from 'node:test/reporters'

/** As node:test counts them. */
export interface Counts {
  tests: number
  passed: number
  failed: number
  cancelled: number
  skipped: number
  todo: number
}

export default async function* countTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) if (type === 'test:summary') yield JSON.stringify(data.counts)
}
