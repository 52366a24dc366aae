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
    let text = ''
    const writeOn = (): string | Promise<string | Buffer> => {
      for (let next = pieces.next(); !next.done; next = pieces.next()) {
        text += next.value
        if (text.length > SHORT_CHARACTERS) return joinBytes(text, pieces, giveWay)
        const others = giveWay()
        if (others) return others.then(writeOn)
      }
      return text
    }
    const others = giveWay()
    return others ? others.then(writeOn) : writeOn()
  }
}

/** A text of this length goes out with its headers in one write, and bytes in two. */
const SHORT_CHARACTERS = 8 * 1024

/**
 * Joins pieces of text as bytes, each at once: a text that was joined is a tree until somebody reads it, which the collector of garbage copies.
 * A list of 1,000 line items is answered with a third of the collections that one text takes.
 */
async function joinBytes(first: string, rest: Iterator<string>, giveWay: GiveWay): Promise<Buffer> {
  const bytes = [Buffer.from(first)]
  for (let next = rest.next(); !next.done; next = rest.next()) {
    await giveWay()
    bytes.push(Buffer.from(next.value))
  }
  return Buffer.concat(bytes)
}
