// A process that runs commands, one after the other, as it is told by messages, and answers how each of them ended.
import { Readable } from 'node:stream'
import { runCommand } from '../../src/cli/run-command.ts'
import type { Ended, Order } from './command.ts'

interface Kept {
  text: string
  restore(): void
}

/** What is written to a stream from now on. */
function keep(stream: NodeJS.WriteStream): Kept {
  const { write } = stream
  const restore = () => {
    stream.write = write
  }
  const kept = { text: '', restore }
  stream.write = (text: string | Uint8Array) => {
    kept.text += String(text)
    return true
  }
  return kept
}

async function run({ args, environment, cwd, stdin }: Order): Promise<Ended> {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, environment)
  process.chdir(cwd)
  Object.defineProperty(process, 'stdin', { value: Readable.from([stdin]), configurable: true })
  const [stdout, stderr] = [keep(process.stdout), keep(process.stderr)]
  try {
    const code = (await runCommand(args)) ?? null
    return { code, stdout: stdout.text, stderr: stderr.text }
  } finally {
    for (const { restore } of [stdout, stderr]) restore()
  }
}

// Each command listens whether its reader has gone.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0)
process.on('message', async (order: Order) => process.send!(await run(order)))
process.on('disconnect', () => process.exit())
