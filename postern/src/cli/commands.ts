import type { Command } from './command.ts'

/** The commands of `postern`. The first runs when none is named. */
export const commands: readonly Command[] = [
  {
    name: 'start',
    summary: 'Start the server, on one SQLite file in .postern unless the environment names another database.',
    examples: ['postern', 'POSTERN_PORT=5000 postern start'],
    options: {},
    load: async () => (await import('./start.ts')).runStart,
  },
]
