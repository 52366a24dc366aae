import { EXIT } from './exit-codes.ts'

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
