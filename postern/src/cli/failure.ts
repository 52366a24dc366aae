/** How a command ends. Scripts rely on these. */
export const EXIT = { done: 0, refused: 1, wrongUsage: 2, noServer: 3 } as const

export const EXIT_CODES: Readonly<Record<number, string>> = {
  [EXIT.done]: 'Done.',
  [EXIT.refused]: 'Refused or failed: the message says what to do next.',
  [EXIT.wrongUsage]: 'Wrong usage: nothing was done.',
  [EXIT.noServer]: 'No Postern answers there.',
}

/** Why a command ended without having done what it says: one or more sentences for whoever called, and the exit code. */
export class Failure extends Error {
  readonly exitCode: number
  /** What a server answered, for `--json`. */
  readonly answer: { status: number; body: unknown } | undefined

  constructor(message: string, exitCode: number = EXIT.refused, answer?: { status: number; body: unknown }) {
    super(message)
    this.exitCode = exitCode
    this.answer = answer
  }
}

export const wrongUsage = (message: string) => new Failure(message, EXIT.wrongUsage)
