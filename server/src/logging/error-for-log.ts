/** What a log line holds of an error: never the members that a library has hung on it, such as a connection with its password. */
export function errorForLog(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name, message, stack, cause, code } = error as NodeJS.ErrnoException
  return { type: name, ...(code !== undefined && { code }), message, stack, ...(cause !== undefined && { cause: errorForLog(cause) }) }
}
