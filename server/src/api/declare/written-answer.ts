import type { GiveWay } from '../../lib/fair-turns.ts'
import type { Dialect } from './dialect.ts'

/** What an answer is written with. */
export interface WriteOptions {
  dialect: Dialect
  /** The prefix of problem types, without a slash at its end. */
  problemBaseUrl: string
}

/** An answer that writes its own JSON, straight from what was read. */
export abstract class WrittenAnswer {
  /**
   * Its JSON in pieces that are quickly written each. `first`: members that stand before its own, such as the request that the advertising
   * hosts repeat.
   */
  abstract pieces(options: WriteOptions, first?: object): Iterable<string>

  write(options: WriteOptions): string {
    let text = ''
    for (const piece of this.pieces(options)) text += piece
    return text
  }

  /** Writes it, and lets others pass between the pieces where it takes long; what is short is one text, and is written at once. */
  writeInSlices(options: WriteOptions, giveWay: GiveWay): string | Promise<string | Buffer> {
    const pieces = this.pieces(options)[Symbol.iterator]()
    const write = () => {
      const { value: first = '' } = pieces.next()
      const next = pieces.next()
      return next.done ? first : joinBytes([first, next.value], pieces, giveWay)
    }
    const others = giveWay()
    return others ? others.then(write) : write()
  }
}

/**
 * Joins pieces of text as bytes, each at once: a text that was joined is a tree until somebody reads it, which the collector of garbage copies.
 * A list of 1,000 line items is answered with a third of the collections that one text takes.
 */
async function joinBytes(first: readonly string[], rest: Iterator<string>, giveWay: GiveWay): Promise<Buffer> {
  const bytes = first.map((piece) => Buffer.from(piece))
  for (let next = rest.next(); !next.done; next = rest.next()) {
    await giveWay()
    bytes.push(Buffer.from(next.value))
  }
  return Buffer.concat(bytes)
}
