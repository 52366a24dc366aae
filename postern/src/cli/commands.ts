import type { Command } from './command.ts'
import { eventCommands } from './table/events.ts'
import { lookCommands } from './table/look.ts'
import { shellCommands } from './table/shell.ts'
import { stateCommands } from './table/state.ts'

/** The commands of `postern`. The first runs when none is named. */
export const commands: readonly Command[] = [
  {
    name: 'start',
    summary: 'Start the server, on one SQLite file in .postern unless the environment names another database.',
    examples: ['postern', 'POSTERN_PORT=5000 postern start'],
    options: {},
    offline: true,
    outlivesReader: true,
    load: async () => (await import('./start.ts')).runStart,
  },
  {
    name: 'run',
    summary: 'Run a program whose calls of api.x.com, api.twitter.com and their neighbours lead to Postern, and cannot lead elsewhere.',
    examples: ['postern run -- node bot.js', 'postern run -- python bot.py', 'postern run --fresh -- npm test'],
    options: {
      url: { type: 'string', summary: 'The Postern to lead to: POSTERN_URL, or http://127.0.0.1:4000. If none runs there, one in memory.' },
      fresh: { type: 'boolean', summary: 'Start a Postern in memory for this run alone, although another runs.' },
      'keep-links': { type: 'boolean', summary: 'Leave sign-in links as the program prints them.' },
      port: { type: 'string', summary: 'The port of the proxy that the program is led through; any free one unless named.' },
    },
    arguments: [{ name: 'command', summary: 'The program and its arguments.', required: true, repeated: true }],
    offline: true,
    passesOn: true,
    outlivesReader: true,
    about:
      'Ends with the exit code of the program. Leads any client, in any language, without a change: see docs/clients.md. What Postern says goes to stderr.',
    exitCodes: { 126: 'The program may not be run.', 127: 'There is no such program.' },
    load: async () => (await import('./run.ts')).runRun,
  },
  ...eventCommands,
  ...lookCommands,
  ...stateCommands,
  ...shellCommands,
]
