import { createInterface } from 'node:readline/promises'

/** A terminal, or what stands for one. */
interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean }
  output: NodeJS.WritableStream & { isTTY?: boolean }
}

/** Whoever leaves the question with Ctrl-C or Ctrl-D has not said yes. What is written next begins a line. */
function left(error: Error, { output }: Terminal): string {
  if (error.name !== 'AbortError') throw error
  output.write('\n')
  return ''
}

/** Asks a person at a terminal whether to go on. A script is not asked: it meant what it says. */
export async function confirm(what: string, terminal: Terminal = { input: process.stdin, output: process.stderr }): Promise<boolean> {
  const { input, output } = terminal
  if (!input.isTTY || !output.isTTY) return true
  const lines = createInterface({ input, output })
  try {
    const answer = await lines.question(`${what} Go on? [y/N] `).catch((error: Error) => left(error, terminal))
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    lines.close()
  }
}
