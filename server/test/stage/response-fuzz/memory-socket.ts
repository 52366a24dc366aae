import type { OnReadOpts, Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** A socket without a network, for either connection. The test says what it receives, and when its writes are done. */
export class MemorySocket extends Duplex {
  /** Writes are pending as long as this is set. */
  isHeld = false
  #onread: OnReadOpts | undefined
  #pending: (() => void) | undefined

  constructor(onread: OnReadOpts | undefined) {
    super({ allowHalfOpen: false })
    this.#onread = onread
  }

  override _read() {}

  override _write(_chunk: unknown, _encoding: string, done: () => void) {
    if (this.isHeld) this.#pending = done
    else done()
  }

  ref() {
    return this
  }

  unref() {
    return this
  }

  /** Ends the writes that were held, and holds none any more. */
  finishWrites() {
    this.isHeld = false
    const done = this.#pending
    this.#pending = undefined
    done?.()
  }

  receive(bytes: Buffer) {
    if (this.destroyed) return
    if (!this.#onread) return void this.push(bytes)
    const buffer = this.#onread.buffer as Uint8Array
    for (let at = 0; at < bytes.length && !this.destroyed; at += buffer.length) {
      const piece = bytes.subarray(at, at + buffer.length)
      buffer.set(piece)
      this.#onread.callback(piece.length, buffer)
    }
  }

  receiveEnd() {
    if (this.destroyed) return
    this.push(null)
    this.read(0)
  }

  receiveReset() {
    this.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
  }

  asSocket(): Socket {
    return this as unknown as Socket
  }
}
