import type { Caller } from '../api/declare/auth.ts'
import { Problem } from '../api/declare/problem.ts'

/** Asks more about a caller who is known; who is refused then is counted all the same. */
export async function asKnown<Answer>(caller: Caller, ask: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof Problem) error.caller ??= caller
    throw error
  }
}
