import { writeExactJson } from '../../../lib/numbers.ts'

/** Which of the fields that a seed names differ from what stands. One that is undefined is not named. */
export const differences = (wanted: object, existing: object): string[] =>
  Object.entries(wanted)
    .filter(([, value]) => value !== undefined)
    .filter(([name, value]) => writeExactJson(value) !== writeExactJson((existing as Record<string, unknown>)[name]))
    .map(([name]) => name)
