import type { Command, CommandOption } from './command.ts'

const help: CommandOption = { type: 'boolean', short: 'h', summary: 'Say how the command is used.' }
const json: CommandOption = { type: 'boolean', summary: 'Write one JSON document, or one per line where there is no end.' }

const ofServer: Record<string, CommandOption> = {
  url: {
    type: 'string',
    value: 'origin',
    summary: 'Where Postern listens. Default: POSTERN_URL, the server that runs in this folder, or http://127.0.0.1:4000 (POSTERN_PORT).',
  },
  'operator-url': {
    type: 'string',
    value: 'origin',
    summary: 'Where its operator endpoints are, if elsewhere. Default: POSTERN_OPERATOR_URL, or as for --url (POSTERN_OPERATOR_PORT).',
  },
  'operator-token': {
    type: 'string',
    value: 'token',
    summary:
      'Default: POSTERN_OPERATOR_TOKEN, the content of the file POSTERN_OPERATOR_TOKEN_FILE, or .postern/operator-token of the server that was started here.',
  },
}

/** The options that a command has beside its own. */
export const commonOptions = ({ offline, passesOn }: Command): Record<string, CommandOption> => ({
  ...(offline || passesOn ? {} : ofServer),
  ...(passesOn ? {} : { json }),
  help,
})

/** All options of a command. */
export const optionsOf = (command: Command): Record<string, CommandOption> => ({ ...command.options, ...commonOptions(command) })
