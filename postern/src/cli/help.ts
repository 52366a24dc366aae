import type { Command, CommandArgument, CommandOption, Example, RunCommand } from './command.ts'
import { commonOptions } from './common-options.ts'
import { EXIT, EXIT_CODES, wrongUsage } from './failure.ts'
import { findCommand } from './find-command.ts'

const WIDTH = 100

export const lineOf = (example: Example) => (typeof example === 'string' ? example : example.line)
export const saysOf = (example: Example) => (typeof example === 'string' ? undefined : example.says)

/** Words in lines that are not too long, each after the same indent. */
function wrap(text: string, indent: number, width = WIDTH): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    if (line !== '' && indent + line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}

/** Rows of two columns. */
function columns(rows: readonly (readonly [name: string, says: string])[]): string {
  const width = Math.max(0, ...rows.map(([name]) => name.length)) + 2
  return rows.map(([name, says]) => `  ${name.padEnd(width)}${wrap(says, width + 2)}`).join('\n')
}

const sayArgument = ({ name, required, repeated }: CommandArgument) => {
  const shown = `<${name}>${repeated ? ' …' : ''}`
  return required ? shown : `[${shown}]`
}

export function usageOf({ name, arguments: declared = [], passesOn }: Command): string {
  const words = declared.map(sayArgument)
  return ['postern', name, ...(passesOn ? ['[options]', ...words] : [...words, '[options]'])].join(' ')
}

/** An option as it is written: `--user <id>`. */
export function sayOption(name: string, { type, value = 'value', short }: CommandOption): string {
  const long = `--${name}${type === 'string' ? ` <${value}>` : ''}`
  return short === undefined ? long : `-${short}, ${long}`
}

/** What an option is for, with its values and its default. */
export function describeOption({ summary, values, multiple, default: usual }: CommandOption): string {
  const more = [
    values && `One of ${values.join(', ')}.`,
    multiple && 'May be given several times.',
    usual !== undefined && `Default: ${usual}.`,
  ]
  return [summary, ...more].filter(Boolean).join(' ')
}

const describeArgument = ({ summary, values }: CommandArgument) => (values ? `${summary} One of ${values.join(', ')}.` : summary)

const examplesOf = (examples: readonly Example[]) =>
  examples.map((example) => `  ${lineOf(example)}${saysOf(example) ? `\n      ${saysOf(example)}` : ''}`).join('\n')

const optionRows = (options: Readonly<Record<string, CommandOption>>) =>
  Object.entries(options).map(([name, option]) => [sayOption(name, option), describeOption(option)] as const)

const section = (title: string, text: string) => (text === '' ? '' : `\n${title}:\n${text}\n`)

/** The help of a command: examples first. */
export function helpOf(command: Command): string {
  const { summary, about, examples, arguments: declared = [], options, exitCodes } = command
  const codes = Object.entries({ ...EXIT_CODES, ...exitCodes }).map(([code, meaning]) => [code, meaning] as const)
  return [
    `${examplesOf(examples)}\n\n${wrap(summary, 0)}\n${about ? `${wrap(about, 0)}\n` : ''}`,
    section('Usage', `  ${usageOf(command)}`),
    section('Arguments', columns(declared.map((argument) => [`<${argument.name}>`, describeArgument(argument)] as const))),
    section('Options', columns([...optionRows(options), ...optionRows(commonOptions(command))])),
    section('Exit codes', columns(codes)),
  ].join('')
}

/** What `postern --help` says. */
export const overview = (commands: readonly Command[]): string =>
  [
    examplesOf(commands.map(({ examples }) => examples[0]!).slice(0, 4)),
    '\n\nA local server that behaves like the developer API of a short-post service.\n',
    section('Commands', columns(commands.map(({ name, summary }) => [name, summary] as const))),
    '\n`postern <command> --help` says more: examples, options, exit codes.\n',
  ].join('')

/** Says how a command is used; without one, which there are. */
export const runHelp: RunCommand = async ({ positionals }, { commands }) => {
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
