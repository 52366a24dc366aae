import { parseArgs } from 'node:util'
import { didYouMean } from '../../../server/src/lib/nearest.ts'
import { VERSION } from '../../../server/src/lib/version.ts'
import type { Arguments, Command, CommandArgument, CommandOption } from './command.ts'
import { commands } from './commands.ts'
import { optionsOf } from './common-options.ts'
import { writeExactJson } from './exact-json.ts'
import { EXIT, Failure, wrongUsage } from './failure.ts'
import { findCommand } from './find-command.ts'
import { helpOf, overview } from './help.ts'
import { createOutput, endWithReader } from './output.ts'
import { createServer, type Server, type ServerOptions } from './server.ts'

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>

/** The sentence of `parseArgs`, with the option that was probably meant instead of its advice. */
function sayParseError(error: Error & { code?: string }, options: Record<string, CommandOption>): string {
  const unknown = /^Unknown option '(-[^']+)'/.exec(error.message)?.[1]
  if (error.code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || unknown === undefined) return `${error.message.split('. ')[0]}.`
  return `There is no option ${unknown}.${didYouMean(unknown.replace(/^-+/, ''), Object.keys(options), '--')}`
}

/** No word of a command line can contain it. */
const MARK = '\0'

/** Where the options on a command line end: at `--`. */
const endOf = (args: readonly string[]) => (args.includes('--') ? args.indexOf('--') : args.length)

/**
 * Marks words that begin with one minus sign and are no options: negative numbers, as ids of events can be, and values of the options before them.
 * `parseArgs` would take them for options.
 */
function markValues(options: Record<string, CommandOption>, args: readonly string[]): string[] {
  const shorts = Object.values(options).flatMap(({ short }) => (short === undefined ? [] : [`-${short}`]))
  const takesValue = (word = '') => word.startsWith('--') && options[word.slice(2)]?.type === 'string'
  const isValue = (word: string, former: string | undefined) =>
    /^-\d/.test(word) || (/^-[^-]/.test(word) && !shorts.includes(word) && takesValue(former))
  const end = endOf(args)
  return args.map((word, place) => (place < end && isValue(word, args[place - 1]) ? MARK + word : word))
}

const withoutMark = <Value>(value: Value): Value =>
  (Array.isArray(value) ? value.map(withoutMark) : typeof value === 'string' ? value.replace(MARK, '') : value) as Value

function parse(options: Record<string, CommandOption>, args: readonly string[]) {
  try {
    const words = markValues(options, args)
    const { values, positionals, tokens } = parseArgs({ args: words, options, allowPositionals: true, allowNegative: false, tokens: true })
    const given = tokens.flatMap((token) => (token.kind === 'option' && token.value !== undefined ? [token.name] : []))
    const twice = given.find((name, place) => options[name]?.multiple !== true && given.indexOf(name) !== place)
    if (twice !== undefined) throw wrongUsage(`--${twice} is given once at most.`)
    const read = Object.entries(values as Values).map(([name, value]) => [name, withoutMark(value)] as const)
    return { values: Object.fromEntries(read) as Values, positionals: positionals.map(withoutMark) }
  } catch (error) {
    throw error instanceof Failure ? error : wrongUsage(sayParseError(error as Error, options))
  }
}

function checkValue(what: string, value: string, values: readonly string[] | undefined) {
  if (values === undefined || values.includes(value)) return
  throw wrongUsage(`${what} is one of ${values.join(', ')}, and not ${value}.${didYouMean(value, values)}`)
}

function checkOptions(options: Record<string, CommandOption>, values: Values) {
  for (const [name, { values: allowed }] of Object.entries(options))
    for (const value of [values[name]].flat()) if (typeof value === 'string') checkValue(`--${name}`, value, allowed)
}

function checkArguments(declared: readonly CommandArgument[], positionals: readonly string[]) {
  const missing = declared.find(({ required }, place) => required && positionals[place] === undefined)
  if (missing) throw wrongUsage(`<${missing.name}> is missing: ${missing.summary}`)
  const isOpen = declared.at(-1)?.repeated
  if (!isOpen && positionals.length > declared.length) throw wrongUsage(`${positionals[declared.length]} is one argument too many.`)
  for (const [place, value] of positionals.entries()) {
    const argument = declared[place] ?? declared.at(-1)!
    if (argument.positive !== undefined && value.startsWith('-'))
      throw wrongUsage(`<${argument.name}> must be positive, and not ${value}: ${argument.positive}.`)
    checkValue(`<${argument.name}>`, value, argument.values)
  }
}

/** Where another program's own arguments begin: after the first word that is no option of this command. */
function verbatimFrom(options: Record<string, CommandOption>, args: readonly string[]): number {
  let place = 0
  while (args[place]?.startsWith('-') && args[place] !== '--') {
    const [name] = args[place]!.replace(/^-+/, '').split('=')
    const takesNext = options[name!]?.type === 'string' && !args[place]!.includes('=')
    place += takesNext ? 2 : 1
  }
  return place
}

/** Reads what stands on the command line after the name of a command. Throws a `Failure` with a sentence. Asking for help is never wrong. */
function readArguments(command: Command, args: readonly string[]): Arguments {
  const options = optionsOf(command)
  const end = command.passesOn ? verbatimFrom(options, args) : args.length
  const { values, positionals: own } = parse(options, args.slice(0, end))
  const rest = args.slice(args[end] === '--' ? end + 1 : end)
  const positionals = [...own, ...rest]
  const isHelp = values.help === true
  if (!isHelp) {
    checkOptions(options, values)
    if (!command.passesOn) checkArguments(command.arguments ?? [], positionals)
  }
  const isList = (name: string) => options[name]?.multiple === true
  const entries = Object.entries(values)
  return {
    options: Object.fromEntries(entries.filter(([name]) => !isList(name))) as Arguments['options'],
    lists: Object.fromEntries(entries.filter(([name]) => isList(name))) as Arguments['lists'],
    positionals,
  }
}

const serverOptions = ({ options }: Arguments): ServerOptions => ({
  url: options.url as string | undefined,
  operatorUrl: options['operator-url'] as string | undefined,
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

/** Whether JSON is wanted, also where the arguments cannot be read. A command that runs another program has no JSON, whatever that takes. */
const wantsJson = (given: readonly string[], command: Command | undefined) =>
  !command?.passesOn && given.slice(0, endOf(given)).includes('--json')

const isVersion = (word: string | undefined) => word === '--version' || word === '-v'
const isHelp = (word: string | undefined) => word === '--help' || word === '-h'

/** Runs what the command line says; answers the exit code, or nothing while the process goes on. */
export async function runCommand(given: readonly string[]): Promise<number | undefined> {
  const [first] = given
  if (isVersion(first) || isHelp(first)) {
    endWithReader()
    process.stdout.write(isHelp(first) ? overview(commands) : `${VERSION}\n`)
    return EXIT.done
  }
  const { command, rest, problem } = findCommand(commands, given)
  try {
    if (command === undefined) throw wrongUsage(problem)
    if (!command.outlivesReader) endWithReader()
    return await run(command, rest)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return sayFailure(error, wantsJson(given, command), command?.name ?? '')
  }
}
