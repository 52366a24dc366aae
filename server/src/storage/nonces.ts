/** Used nonces. All processes of a database share them, and they survive a restart and a `kill -9`. */
export interface NonceStore {
  /**
   * Returns true once for each key until it expires, also under concurrency. Expired keys are deleted along the way.
   */
  accept(key: string, expiresAtMs: number, nowMs: number): Promise<boolean>
}
