import type { WriteOptions } from './written-answer.ts'

/** Bytes of an answer, framed once for every client that gets them. */
export interface Chunk {
  bytes: Buffer
  /** The same as a chunk of HTTP/1.1. */
  framed: Buffer
}

const LINE_END = '\r\n'

/** A chunk of so many bytes, which `fill` writes, from a place of a buffer on. An empty chunk would end the answer. */
export function chunkOf(length: number, fill: (buffer: Buffer, at: number) => void): Chunk {
  const head = `${length.toString(16)}${LINE_END}`
  const framed = Buffer.allocUnsafe(head.length + length + LINE_END.length)
  const at = framed.write(head, 'latin1')
  fill(framed, at)
  framed.write(LINE_END, at + length, 'latin1')
  return { bytes: framed.subarray(at, at + length), framed }
}

export const chunkOfText = (text: string): Chunk => chunkOf(Buffer.byteLength(text), (buffer, at) => buffer.write(text, at))

/** Where an answer without an end goes: one client. */
export interface Outlet {
  write(chunk: Chunk): void
  /** The bytes that wait in memory until the client reads. */
  waitingBytes(): number
  /** So many bytes wait that `drained` follows once none does. */
  isFull(): boolean
  /** The bytes that the connection has taken. They grow as the client reads, also within a chunk. */
  sentBytes(): number
  /** Writes the last chunk, which may be empty, and ends the answer. `closed` follows once the client has it, or has left. */
  end(last: Chunk): void
  /** Cuts the connection. */
  destroy(): void
}

/** What the writer of an answer without an end is told. */
export interface OutletListener {
  /** Nothing waits in memory any more, after it was full. */
  drained(): void
  /** The client has left, or the answer has ended. Called once; nothing can be written from then on. */
  closed(): void
}

/** An answer without an end. `open` is called once, also if the client has left meanwhile: then `closed` follows. HEAD gets the headers alone. */
export class EndlessAnswer {
  readonly open: (outlet: Outlet, options: WriteOptions) => OutletListener

  constructor(open: (outlet: Outlet, options: WriteOptions) => OutletListener) {
    this.open = open
  }
}
