/** How a command ends. Scripts rely on these. */
export const EXIT = { done: 0, refused: 1, wrongUsage: 2, noServer: 3 } as const

export const EXIT_CODES: Readonly<Record<number, string>> = {
  [EXIT.done]: 'Done.',
  [EXIT.refused]: 'Refused or failed: the message says what to do next.',
  [EXIT.wrongUsage]: 'Wrong usage: nothing was done.',
  [EXIT.noServer]: 'No Postern answers there.',
}

/** What a server answered to a call that it refused. */
interface Refusal {
  status: number
  body: unknown
  headers?: Headers
}

/** Why a command ended without having done what it says: one or more sentences for whoever called, and the exit code. */
export class Failure extends Error {
  readonly exitCode: number
  readonly answer: Refusal | undefined

  constructor(message: string, exitCode: number = EXIT.refused, answer?: Refusal) {
    super(message)
    this.exitCode = exitCode
    this.answer = answer
  }
}

export const wrongUsage = (message: string) => new Failure(message, EXIT.wrongUsage)
