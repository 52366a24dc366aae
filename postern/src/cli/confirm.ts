import { createInterface } from 'node:readline/promises'

/** A terminal, or what stands for one. */
export interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean }
  output: NodeJS.WritableStream & { isTTY?: boolean }
}

/** Asks a person at a terminal whether to go on. A script is not asked: it meant what it says. */
export async function confirm(
  what: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  if (!input.isTTY || !output.isTTY) return true
  const lines = createInterface({ input, output })
  try {
    return /^y(es)?$/i.test((await lines.question(`${what} Go on? [y/N] `)).trim())
  } finally {
    lines.close()
  }
}
