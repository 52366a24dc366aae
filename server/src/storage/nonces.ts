/** Used nonces. All processes of a database share them, and they survive a restart and a `kill -9`. */
export interface NonceStore {
  /**
   * Returns true to one request for each key until it expires, also under concurrency. That request may ask again, because a broken connection
   * does not tell whether its nonce was stored; without an id it may not. Expired keys are deleted along the way.
   */
  accept(key: string, expiresAtMs: number, nowMs: number, requestId?: number): Promise<boolean>
}
