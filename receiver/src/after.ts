/** Calls `run` once `delayMs` have passed, unless what it answers was called before. */
export function after(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs)
  return () => clearTimeout(timer)
}
