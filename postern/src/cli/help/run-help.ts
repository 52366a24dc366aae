import type { RunCommand } from '../command.ts'
import { commands } from '../commands.ts'
import { EXIT } from '../exit-codes.ts'
import { wrongUsage } from '../failure.ts'
import { findCommand } from '../find-command.ts'
import { helpOf, overview } from './help.ts'

/** Says how a command is used; without one, which there are. */
export const runHelp: RunCommand = async ({ positionals }) => {
  if (positionals.length === 0) {
    process.stdout.write(overview(commands))
    return EXIT.done
  }
  const family = commands.filter(({ name }) => name.startsWith(`${positionals.join(' ')} `))
  const { command, problem } = findCommand(commands, positionals)
  if (command === undefined && family.length === 0) throw wrongUsage(problem)
  process.stdout.write((command ? [command] : family).map(helpOf).join('\n'))
  return EXIT.done
}
