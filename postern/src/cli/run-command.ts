import type { Arguments, Command } from './command.ts'
import { commands } from './commands.ts'
import { writeExactJson } from './exact-json.ts'
import { EXIT } from './exit-codes.ts'
import { Failure, wrongUsage } from './failure.ts'
import { findCommand } from './find-command.ts'
import { helpOf, overview } from './help.ts'
import { createOutput, endWithReader } from './output.ts'
import { readArguments } from './read-arguments.ts'
import { createServer, type Server, type ServerOptions } from './server.ts'
import { version } from './version.ts'

const serverOptions = ({ options }: Arguments): ServerOptions => ({
  url: options.url as string | undefined,
  operatorToken: options['operator-token'] as string | undefined,
})

async function run(command: Command, rest: readonly string[]): Promise<number | undefined> {
  const given = readArguments(command, rest)
  const out = createOutput(given.options.json === true)
  if (given.options.help === true) {
    process.stdout.write(helpOf(command))
    return EXIT.done
  }
  const execute = await command.load()
  let server: Server | undefined
  return execute(given, {
    out,
    commands,
    get server() {
      server ??= createServer(serverOptions(given))
      return server
    },
  })
}

/** What went wrong, to stderr: with `--json` as a document, so that a script need not read sentences. */
function sayFailure({ message, exitCode, answer }: Failure, isJson: boolean, named: string): number {
  const error = { message, exit_code: exitCode, ...(answer && { status: answer.status, answer: answer.body }) }
  const hint = exitCode === EXIT.wrongUsage ? `\nSee \`${['postern', named, '--help'].filter(Boolean).join(' ')}\`.` : ''
  process.stderr.write(isJson ? `${writeExactJson({ error })}\n` : `${message}${hint}\n`)
  return exitCode
}

const isVersion = (word: string | undefined) => word === '--version' || word === '-v'
const isHelp = (word: string | undefined) => word === '--help' || word === '-h'

/** Runs what the command line says; answers the exit code, or nothing while the process goes on. */
export async function runCommand(given: readonly string[]): Promise<number | undefined> {
  const [first] = given
  if (isVersion(first) || isHelp(first)) {
    endWithReader()
    process.stdout.write(isHelp(first) ? overview(commands) : `${version()}\n`)
    return EXIT.done
  }
  let named = ''
  try {
    const { command, rest, problem } = findCommand(commands, given)
    if (command === undefined) throw wrongUsage(problem)
    named = command.name
    if (!command.outlivesReader) endWithReader()
    return await run(command, rest)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return sayFailure(error, given.includes('--json'), named)
  }
}
