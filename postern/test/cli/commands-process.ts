// A process that runs the commands which its input lists, one after the other, and prints how each of them ended.
import { json } from 'node:stream/consumers'
import { runCommand } from '../../src/cli/run-command.ts'
import type { Ended } from './command.ts'

/** Runs a command with what it writes kept. */
async function ended(args: readonly string[]): Promise<Ended> {
  const [stdout, stderr] = [process.stdout, process.stderr].map((stream) => {
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
  }) as [{ text: string; restore(): void }, { text: string; restore(): void }]
  try {
    const code = (await runCommand(args)) ?? null
    return { code, stdout: stdout.text, stderr: stderr.text }
  } finally {
    for (const { restore } of [stdout, stderr]) restore()
  }
}

// Each command listens whether its reader has gone.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0)
const all: Ended[] = []
for (const args of (await json(process.stdin)) as string[][]) all.push(await ended(args))
process.stdout.write(JSON.stringify(all))
