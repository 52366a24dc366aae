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
    load: async () => (await import('./start.ts')).runStart,
  },
  ...eventCommands,
  ...lookCommands,
  ...stateCommands,
  ...shellCommands,
]
