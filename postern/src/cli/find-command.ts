import { didYouMean } from '../../../server/src/lib/nearest.ts'
import type { Command } from './command.ts'

interface Found {
  command?: Command
  /** What follows its name. */
  rest: readonly string[]
  /** Why there is no command. */
  problem: string
}

/** Finds the command that the first words name; without a word, or with an option first, the first of the table. */
export function findCommand(commands: readonly Command[], given: readonly string[]): Found {
  const [first, second] = given
  if (first === undefined || first.startsWith('-')) return { command: commands[0], rest: given, problem: '' }
  const byTwo = commands.find(({ name }) => name === `${first} ${second}`)
  if (byTwo) return { command: byTwo, rest: given.slice(2), problem: '' }
  const byOne = commands.find(({ name }) => name === first)
  if (byOne) return { command: byOne, rest: given.slice(1), problem: '' }
  return { rest: [], problem: sayUnknown(commands, first, second) }
}

function sayUnknown(commands: readonly Command[], first: string, second: string | undefined): string {
  const names = commands.map(({ name }) => name)
  const family = names.filter((name) => name.startsWith(`${first} `))
  const isFamily = family.length > 0
  if (isFamily && (second === undefined || second.startsWith('-')))
    return `postern ${first} is ${family.map((name) => `postern ${name}`).join(', or ')}.`
  const words = isFamily ? `${first} ${second}` : first
  const known = isFamily ? family : [...new Set(names.flatMap((name) => [name, name.split(' ')[0]!]))]
  const meant = didYouMean(words, known, 'postern ')
  return `postern has no command ${words}.${meant === '' ? ` It has ${names.join(', ')}.` : meant}`
}
