/** Used nonces. All processes of a database share them, and they survive a restart and a `kill -9`. */
export interface NonceStore {
  /**
   * Returns true once for each key until it expires, also under concurrency. Keys are texts of a fixed length. Expired keys are deleted
   * along the way, up to two minutes after they expired.
   */
  accept(key: string, expiresAtMs: number, nowMs: number): Promise<boolean>
}
