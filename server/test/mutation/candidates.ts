// Runs test files in this one process, in the order they are named in, and ends at the first failure.
// Prints a line of JSON for each test that has passed, for the failure, and once all have passed.
import { resolve } from 'node:path'
import { run } from 'node:test'
import type { CandidateLine } from './run-candidates.ts'

const files = process.argv.slice(2).map((file) => resolve(file))

/** Waits until the line is written: the process may end right after it. */
const say = (line: CandidateLine) => new Promise<void>((written) => process.stdout.write(`\n${JSON.stringify(line)}\n`, () => written()))

// What needs PostgreSQL has it in its name.
const events = run({ files, isolation: 'none', testSkipPatterns: [/postgres/i] })
events.on('test:pass', ({ file = '' }) => void say({ passed: file }))
events.on('test:fail', async ({ file = '', name, details }) => {
  const { cause, message } = details.error as Error
  await say({ failed: file, test: name, why: String(cause ?? message).slice(0, 300) })
  process.exit(1)
})
events.on('end', async () => {
  await say({ done: true })
  process.exit(0)
})
events.resume()
