import type { Caller } from '../api/declare/auth.ts'
import { Problem } from '../api/declare/problem.ts'

/** Runs further checks of an authenticated caller. Attaches the caller to their problem, so that a refused call still counts for its rate limit. */
export async function attachCaller<Answer>(caller: Caller, check: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof Problem) error.caller ??= caller
    throw error
  }
}
