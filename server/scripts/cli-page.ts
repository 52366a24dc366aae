import type { Command, CommandArgument, CommandOption } from '../../postern/src/cli/command.ts'
import { commands } from '../../postern/src/cli/commands.ts'
import { commonOptions } from '../../postern/src/cli/common-options.ts'
import { EXIT_CODES } from '../../postern/src/cli/failure.ts'
import { describeOption, lineOf, sayOption, saysOf, usageOf } from '../../postern/src/cli/help.ts'

/** What stands in a cell of a table. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')

const row = (name: string, says: string) => `| \`${name.replaceAll('|', '\\|')}\` | ${cell(says)} |`

const table = (heading: string, rows: readonly string[]) => (rows.length === 0 ? '' : `\n| ${heading} | |\n|---|---|\n${rows.join('\n')}\n`)

const optionRows = (options: Readonly<Record<string, CommandOption>>) =>
  Object.entries(options).map(([name, option]) => row(sayOption(name, option), describeOption(option)))

const argumentRow = ({ name, summary, values }: CommandArgument) =>
  row(`<${name}>`, values ? `${summary} One of ${values.join(', ')}.` : summary)

const examplesOf = ({ examples }: Command) =>
  examples.map((example) => (saysOf(example) ? `${lineOf(example)}   # ${saysOf(example)}` : lineOf(example))).join('\n')

const codeRows = (codes: Readonly<Record<number, string>>) => Object.entries(codes).map(([code, meaning]) => row(code, meaning))

function section(command: Command): string {
  const { name, summary, about, arguments: declared = [], options, exitCodes = {} } = command
  return `## ${name}

\`\`\`sh
${examplesOf(command)}
\`\`\`

${[summary, about].filter(Boolean).join(' ')}

\`${usageOf(command)}\`
${table('argument', declared.map(argumentRow))}${table('option', optionRows(options))}${table('exit code', codeRows(exitCodes))}`
}

/** The options that most commands have. */
const common = commonOptions(commands.find(({ offline, passesOn }) => !offline && !passesOn)!)

/** `docs/cli.md`: every command of `postern`. */
export const cliPage = () => `# Command line

Generated from \`postern/src/cli\`. In a project that has installed the package \`postern\` a command is \`npx postern …\`, in this repository \`npm run postern -- …\`. \`postern help <command>\` says the same as this page, and \`postern completion\` completes commands, options and event types.

A command talks to the Postern that runs, by HTTP alone. It finds a server that was started in the same folder with its usual settings by itself.
${table('option of every command', optionRows(common))}${table('exit code', codeRows(EXIT_CODES))}
Results go to stdout, everything else to stderr. With \`--json\` a failure is a document on stderr: \`{"error":{"message":…,"exit_code":…,"status":…,"answer":…}}\`. \`NO_COLOR\` is respected.

| command | |
|---|---|
${commands.map(({ name, summary }) => `| [${name}](#${name.replaceAll(' ', '-')}) | ${cell(summary)} |`).join('\n')}

${commands.map(section).join('\n')}`
