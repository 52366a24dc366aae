import { writeExactJson } from '../../../lib/numbers.ts'

/** The fields of a seed that differ from the existing record; undefined ones are not compared. */
export const differences = (wanted: object, existing: object): string[] =>
  Object.entries(wanted)
    .filter(([, value]) => value !== undefined)
    .filter(([name, value]) => writeExactJson(value) !== writeExactJson((existing as Record<string, unknown>)[name]))
    .map(([name]) => name)
