import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { nameOf } from './choose-mutants.ts'
import type { Mutant } from './find-mutants.ts'
import { reasonFor } from './survivors.ts'

/** What noticed a mutant: a test, or the check that the printed pages are fresh. Without either it has survived so many test files. */
export interface Outcome {
  test?: { file: string; test: string; why: string }
  pages?: true
  survivedFiles: number
}

/** Whether a mutant counts as killed: the printed pages are enough where nothing but them changes. */
export const isKilled = (mutant: Mutant, { test, pages }: Outcome) => test !== undefined || (pages === true && mutant.isDocumentation)

const keyOf = (mutant: Mutant, text: string) =>
  createHash('sha256')
    .update(`${nameOf(mutant)} ${mutant.start} ${text}`)
    .digest('hex')
    .slice(0, 16)

/** The outcomes of earlier runs over the same sources, in a file, so that a run can go on and survivors be tried again on new tests. */
export function openOutcomes(path: string | undefined) {
  const lines = path && existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
  const known = new Map(lines.map((line) => JSON.parse(line) as [string, Outcome]))
  return {
    /** The outcome of a mutant that was killed, or survived for a reason that is known. `text` is its file. */
    settled(mutant: Mutant, text: string): Outcome | undefined {
      const outcome = known.get(keyOf(mutant, text))
      return outcome && (isKilled(mutant, outcome) || reasonFor(mutant) !== undefined) ? outcome : undefined
    },
    add(mutant: Mutant, text: string, outcome: Outcome) {
      if (path) appendFileSync(path, `${JSON.stringify([keyOf(mutant, text), outcome])}\n`)
    },
  }
}
