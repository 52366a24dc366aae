import type { Output } from './output.ts'
import type { Server } from './server.ts'

/** An option of a command: `--host <value>`, or a flag. */
export interface CommandOption {
  type: 'string' | 'boolean'
  summary: string
  default?: string
  /** What stands for its value in help: `id`. */
  value?: string
  /** The only values that it may have. */
  values?: readonly string[]
  /** May be given several times; its values are in `lists`. */
  multiple?: true
  short?: string
}

/** What stands on the command line without a name. */
export interface CommandArgument {
  name: string
  summary: string
  required?: true
  /** It and whatever follows. Only the last argument can be. */
  repeated?: true
  /** The only values that it may have. */
  values?: readonly string[]
  /** It begins with no minus sign: why. */
  positive?: string
  /** Values that completion suggests; others may be right too. */
  suggestions?: readonly string[]
}

/** A command line that can be pasted. */
export type Example = string | { line: string; says?: string }

/** What a command gets from the command line. */
export interface Arguments {
  options: Readonly<Record<string, string | boolean | undefined>>
  positionals: readonly string[]
  /** The values of options that may be given several times. */
  lists: Readonly<Record<string, readonly string[]>>
}

/** What every command may use beside its arguments. */
export interface Context {
  out: Output
  /** Where Postern is, and the operator token. Nothing is asked before the first call. */
  server: Server
  /** All commands there are. */
  commands: readonly Command[]
}

/** Does what a command says; answers its exit code, or nothing while the process goes on. */
export type RunCommand = (given: Arguments, context: Context) => Promise<number | undefined>

/** A row of the table of commands. Its code is loaded when it is run. */
export interface Command {
  /** One word, or two: `apps create`. */
  name: string
  /** One sentence. */
  summary: string
  /** More sentences for its help. */
  about?: string
  /** Command lines that can be pasted, the commonest first. */
  examples: readonly Example[]
  arguments?: readonly CommandArgument[]
  options: Readonly<Record<string, CommandOption>>
  /** What its exit codes mean beside the usual ones. */
  exitCodes?: Readonly<Record<number, string>>
  /** True for a command that calls no server: it has neither `--url` nor `--operator-token`. */
  offline?: true
  /** What follows the first argument belongs to another program: none of it is an option of this command. */
  passesOn?: true
  /** True for a command that goes on although nobody reads what it writes. */
  outlivesReader?: true
  load(): Promise<RunCommand>
}
