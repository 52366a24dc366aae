/** Nonces that were seen, in the database: so every process, and the next start, knows them. */
export interface NonceStore {
  /**
   * True once for each key until it expires. Keys are texts of a fixed length; those that expired are deleted in passing.
   * Of any number at once with one key, one is true.
   */
  accept(key: string, expiresAtMs: number, nowMs: number): Promise<boolean>
}
