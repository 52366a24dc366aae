// The reporter of node:test in a worker: it collects what node:test says of one file after another, because the test of each file is a suite of
// its own. What a reader sees is written by node:test's own `spec`.
import { spec, type TestEvent } from 'node:test/reporters'

/** As node:test counts them. */
export interface Counts {
  tests: number
  passed: number
  failed: number
  cancelled: number
  skipped: number
  todo: number
}

export interface Report {
  counts: Counts
  /** What `spec` prints, without colours. */
  text: string
  /** Why suites were skipped that need something which is not installed. */
  leftOut: string[]
}

interface Listener {
  began(name: string): void
  ended(name: string): void
}

interface Collecting {
  file: string
  counts: Counts
  leftOut: string[]
  events: TestEvent[]
  done(): void
}

let collecting: Collecting | undefined
let listener: Listener | undefined

const noCounts = (): Counts => ({ tests: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 })

function print(events: readonly TestEvent[]): string {
  const writer = new spec()
  let text = ''
  writer.on('data', (chunk) => {
    text += chunk
  })
  for (const event of events) writer.write(event)
  writer.end()
  return text
}

/** Collects all that node:test says until it has reported the suite that is named like the file. */
export function collect(file: string, told: Listener): Promise<Report> {
  listener = told
  return new Promise((resolve) => {
    const counts = noCounts()
    const leftOut: string[] = []
    const events: TestEvent[] = []
    const done = () => {
      collecting = undefined
      setImmediate(() => resolve({ counts, text: print(events), leftOut }))
    }
    collecting = { file, counts, leftOut, events, done }
  })
}

/** Why a file that has run is not heard of: node:test reports nothing of a suite none of whose tests has a name that was asked for. */
const NOT_NAMED = 'no test of some files has a name like that'

/** Ends the collecting of a file that has run, if node:test has said nothing of it. */
export function endUnheard(): void {
  if (collecting?.events.length !== 0) return
  collecting.leftOut.push(NOT_NAMED)
  collecting.done()
}

function count(counts: Counts, { type, data }: Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>) {
  if (data.details.type === 'suite') {
    // A suite has no tests to count when it could not be built: its own failure is all there is.
    if (type === 'test:fail' && data.nesting === 0 && counts.failed + counts.cancelled === 0) counts.failed++
    return
  }
  counts.tests++
  if (data.skip !== undefined) counts.skipped++
  else if (data.todo !== undefined) counts.todo++
  else if (type === 'test:pass') counts.passed++
  else if ((data.details.error as { failureType?: string }).failureType === 'cancelledByParent') counts.cancelled++
  else counts.failed++
}

function hear(event: TestEvent, current: Collecting) {
  const { file, counts, leftOut, events } = current
  events.push(event)
  if (event.type === 'test:dequeue') listener?.began(event.data.name)
  if (event.type === 'test:complete') listener?.ended(event.data.name)
  if (event.type !== 'test:pass' && event.type !== 'test:fail') return
  const { details, skip } = event.data
  if (details.type === 'suite' && skip !== undefined) leftOut.push(String(skip))
  count(counts, event)
  if (event.data.nesting === 0 && event.data.name === file) current.done()
}

// biome-ignore lint/correctness/useYield: a reporter that prints nothing itself
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) if (collecting) hear(event, collecting)
}
