/** Primary result codes of SQLite: CORRUPT, NOTADB. */
const SQLITE_DAMAGED = new Set([11, 26])

export const isDamage = (errcode: unknown): boolean => typeof errcode === 'number' && SQLITE_DAMAGED.has(errcode & 0xff)

/** For an SQLite error of a damaged file, an error with the file and what to do. Any other error unchanged. */
export function nameDamage(error: unknown, what: 'database' | 'event log', path: string): unknown {
  if (!(error instanceof Error) || !isDamage((error as { errcode?: unknown }).errcode) || error.message.includes(path)) return error
  error.message = `the ${what} ${path} is damaged (${error.message}): stop Postern and restore both ${path.replace(/\.events$/, '')} and its .events from a backup, or save what can be read with sqlite3's .recover`
  return error
}
