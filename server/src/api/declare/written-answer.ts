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

  /** Writes it, and lets others pass between the pieces where it takes long; what is short is written at once. */
  writeInSlices(options: WriteOptions, giveWay: GiveWay): string | Promise<string> {
    const pieces = this.pieces(options)[Symbol.iterator]()
    const written: string[] = []
    const writeOn = (): string | Promise<string> => {
      for (let next = pieces.next(); !next.done; next = pieces.next()) {
        written.push(next.value)
        const others = giveWay()
        if (others) return others.then(writeOn)
      }
      return written.join('')
    }
    const others = giveWay()
    return others ? others.then(writeOn) : writeOn()
  }
}
