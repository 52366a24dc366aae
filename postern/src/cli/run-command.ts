import { parseArgs } from 'node:util'
import type { Command } from './command.ts'
import { commands } from './commands.ts'
import { ownWords } from './own-words.ts'

const WRONG_USAGE = 2

const usage = () => `${commands.map(({ name, summary }) => `  postern ${name.padEnd(12)} ${summary}`).join('\n')}\n`

/** Runs what the command line says; answers the exit code, or nothing while the process goes on. */
export async function runCommand(given: readonly string[]): Promise<number | undefined> {
  const [name = commands[0]!.name, ...rest] = given
  const command = commands.find((one) => one.name === name)
  if (command) return run(command, rest)
  process.stderr.write(`postern has no command ${name}:\n${usage()}`)
  return WRONG_USAGE
}

async function run({ options, passesOn, load }: Command, words: readonly string[]): Promise<number | undefined> {
  const { own, rest } = passesOn ? ownWords(words, options) : { own: words, rest: [] }
  const { values, positionals } = parseArgs({ args: passesOn ? [...own, '--', ...rest] : [...words], options, allowPositionals: true })
  const execute = await load()
  return execute({ options: values, positionals })
}
