import type { Dialect } from './dialect.ts'

/** What an answer is written with. */
export interface WriteOptions {
  dialect: Dialect
  /** The prefix of problem types, without a slash at its end. */
  problemBaseUrl: string
}

/** An answer that writes its own JSON, straight from what was read. */
export abstract class WrittenAnswer {
  /** `first`: members that stand before its own, such as the request that the advertising hosts repeat. */
  abstract write(options: WriteOptions, first?: object): string
}
