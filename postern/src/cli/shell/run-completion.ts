import type { RunCommand } from '../command.ts'
import { commands } from '../commands.ts'
import { EXIT } from '../exit-codes.ts'
import { bashCompletion, fishCompletion, zshCompletion } from './completion.ts'

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }

/** Prints the completion script of a shell. */
export const runCompletion: RunCommand = async ({ positionals: [shell] }) => {
  process.stdout.write(scripts[shell as keyof typeof scripts](commands))
  return EXIT.done
}
