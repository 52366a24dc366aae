import { createHash } from 'node:crypto'
import type { Mutant } from './find-mutants.ts'

/** The name of a mutant, which stays the same while other lines of its file change. */
export const nameOf = ({ file, change }: Mutant): string => `${file}: ${change}`

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

/** So many mutants, always the same ones while the sources stay as they are; another seed takes others. */
export function chooseMutants(mutants: readonly Mutant[], count: number, seed: string): Mutant[] {
  const order = new Map(mutants.map((mutant) => [mutant, hash(`${seed} ${nameOf(mutant)} ${mutant.start}`)]))
  return mutants.toSorted((one, other) => (order.get(one)! < order.get(other)! ? -1 : 1)).slice(0, count)
}
