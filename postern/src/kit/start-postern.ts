/** Starts a Postern in this process. */
export async function startPostern(): Promise<never> {
  throw new Error('not there yet')
}
