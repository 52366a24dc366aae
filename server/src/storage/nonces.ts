/** Used nonces. They are in the database, so that all processes share them and they survive a restart. */
export interface NonceStore {
  /**
   * Returns true once for each key until it expires, also under concurrency. Keys are texts of a fixed length. Expired keys are deleted
   * along the way.
   */
  accept(key: string, expiresAtMs: number, nowMs: number): Promise<boolean>
}
