import type { Command, RunCommand } from './command.ts'
import { optionsOf } from './common-options.ts'
import { EXIT } from './failure.ts'

/** What may follow the name of a command: its options, and the values of its arguments. */
const wordsOf = (command: Command): string[] => [
  ...(command.arguments ?? []).flatMap(({ values, suggestions }) => [...(values ?? suggestions ?? [])]),
  ...Object.keys(optionsOf(command)).map((name) => `--${name}`),
]

/** Options with a fixed set of values. */
const valuedOptions = (command: Command) =>
  Object.entries(optionsOf(command)).flatMap(([name, { values }]) => (values ? [{ name, values }] : []))

const firstWords = (commands: readonly Command[]) => [...new Set(commands.map(({ name }) => name.split(' ')[0]!))]

/** The first words of commands with two, each with the second ones. */
const families = (commands: readonly Command[]) =>
  Map.groupBy(
    commands.filter(({ name }) => name.includes(' ')).map(({ name }) => name.split(' ')),
    ([first]) => first!,
  )

/** `postern help` takes the name of a command. */
const withHelp = (commands: readonly Command[]) =>
  commands.map((command) =>
    command.name === 'help' ? { ...command, arguments: [{ name: 'command', summary: '', suggestions: firstWords(commands) }] } : command,
  )

/** A script for bash; zsh runs it too. Where nothing of this fits, files are completed. */
function bashCompletion(given: readonly Command[]): string {
  const commands = withHelp(given)
  const both = [...families(commands)].map(([first, names]) => `    ${first}) second="${names.map(([, second]) => second).join(' ')}" ;;`)
  const values = commands.flatMap((command) =>
    valuedOptions(command).map((option) => `    "${command.name} --${option.name}") words="${option.values.join(' ')}" ;;`),
  )
  return `# Completion of postern: source <(postern completion bash)
_postern() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" name="\${COMP_WORDS[1]}" second= words=
  case "$name" in
${both.join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${firstWords(commands).join(' ')} --help --version"
  elif [ -n "$second" ] && [ "$COMP_CWORD" -eq 2 ]; then
    words="$second"
  else
    [ -n "$second" ] && name="$name \${COMP_WORDS[2]}"
    case "$name" in
${commands.map((command) => `    "${command.name}") words="${wordsOf(command).join(' ')}" ;;`).join('\n')}
    esac
    case "$name $prev" in
${values.join('\n')}
    esac
  fi
  COMPREPLY=( $(compgen -W "$words" -- "$cur") )
}
complete -o default -F _postern postern
`
}

const zshCompletion = (commands: readonly Command[]): string =>
  `autoload -U +X bashcompinit && bashcompinit
${bashCompletion(commands)}`

const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`

/** Holds while the command line has the words of the command. */
const fishCondition = (name: string) =>
  quoted(
    name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and '),
  )

function fishLines(command: Command): string[] {
  const [first, second] = command.name.split(' ')
  const before = second === undefined ? quoted('__fish_use_subcommand') : fishCondition(first!)
  const has = fishCondition(command.name)
  const own = [...(command.arguments ?? [])].flatMap(({ values, suggestions }) => [...(values ?? suggestions ?? [])])
  return [
    `complete -c postern -f -n ${before} -a ${second ?? first} -d ${quoted(command.summary)}`,
    ...(own.length > 0 ? [`complete -c postern -f -n ${has} -a ${quoted(own.join(' '))}`] : []),
    ...Object.entries(optionsOf(command)).map(([name, { type, values, summary, short }]) => {
      const takes = type === 'boolean' ? '' : values ? ` -x -a ${quoted(values.join(' '))}` : ' -r'
      return `complete -c postern -n ${has} -l ${name}${short ? ` -s ${short}` : ''}${takes} -d ${quoted(summary)}`
    }),
  ]
}

export function fishCompletion(given: readonly Command[]): string {
  const commands = withHelp(given)
  const firsts = [...families(commands).keys()].map((first) => `complete -c postern -f -n '__fish_use_subcommand' -a ${first}`)
  return `# Completion of postern: postern completion fish > ~/.config/fish/completions/postern.fish\n${[...firsts, ...commands.flatMap(fishLines)].join('\n')}\n`
}

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }

/** Prints the completion script of a shell. */
export const runCompletion: RunCommand = async ({ positionals: [shell] }, { commands }) => {
  process.stdout.write(scripts[shell as keyof typeof scripts](commands))
  return EXIT.done
}
