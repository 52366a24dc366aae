import { withCodec } from '../../api/declare/codec.ts'
import { matching, type WordOptions } from '../../api/declare/words.ts'

/** A username: unique without regard to case. */
export const username = (rest: WordOptions = {}) =>
  withCodec(matching('^[A-Za-z0-9_]{1,15}$', { mustBe: '1 to 15 letters, digits and underscores', ...rest }), { quotesPattern: true })
