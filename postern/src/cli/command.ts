/** An option of a command: `--host <value>`, or a flag. */
export interface CommandOption {
  type: 'string' | 'boolean'
  summary: string
  default?: string
}

/** What a command gets from the command line. */
export interface Arguments {
  options: Readonly<Record<string, string | boolean | undefined>>
  positionals: readonly string[]
}

/** Does what a command says; answers its exit code, or nothing while the process goes on. */
export type RunCommand = (given: Arguments) => Promise<number | undefined>

/** A row of the table of commands. Its code is loaded when it is run. */
export interface Command {
  name: string
  /** One sentence. */
  summary: string
  /** Command lines that can be pasted. */
  examples: readonly string[]
  options: Readonly<Record<string, CommandOption>>
  /** Starts a program: everything from the first word on that is no option belongs to that. */
  passesOn?: true
  load(): Promise<RunCommand>
}
