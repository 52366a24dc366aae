import { isDeletedMeanwhile } from '../unavailable.ts'

/** Each try waits for the rows that were being added while it ran. */
const MAX_TRIES = 10

/**
 * Runs a transaction that deletes rows and, last, what they refer to. A row that another transaction has added meanwhile fails it as a
 * whole; then it is run again, and deletes that one too.
 */
export async function retryWhileReferenced<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run()
    } catch (error) {
      if (tries === MAX_TRIES || !isDeletedMeanwhile(error)) throw error
    }
  }
}
