import { didYouMean } from '../../../server/src/lib/nearest.ts'

/** Throws a TypeError for a member of options that is not known, which would be ignored without a word. */
export function checkNames(what: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new TypeError(`${what} has no option ${unknown}.${didYouMean(unknown, known)} It has ${known.join(', ')}.`)
}
