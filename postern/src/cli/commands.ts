import type { Command } from './command.ts'
import { backupCommands } from './table/back-up.ts'
import { eventCommands, time } from './table/events.ts'
import { logCommands } from './table/logs.ts'
import { lookCommands } from './table/look.ts'
import { parkedCommands } from './table/parked.ts'

/** What a server knows: apps, seeds, its clock. */
const stateCommands: readonly Command[] = [
  {
    name: 'apps list',
    summary: 'List the apps, oldest first.',
    examples: ['postern apps list', 'postern apps list --json'],
    options: {},
    load: async () => (await import('./apps/run-apps.ts')).runListApps,
  },
  {
    name: 'apps create',
    summary: 'Create an app, and print its keys and secrets this once.',
    examples: [
      "postern apps create 'My bot' --callback-url http://127.0.0.1:3000/callback",
      "postern apps create 'My bot' --permissions read_write_dm --ads --json",
    ],
    arguments: [{ name: 'name', summary: 'The name of the app.', required: true }],
    options: {
      'callback-url': { type: 'string', value: 'url', multiple: true, summary: 'Where sign-in may lead back to.' },
      permissions: {
        type: 'string',
        values: ['read', 'read_write', 'read_write_dm'],
        default: 'read_write_dm',
        summary: 'What it may do for users.',
      },
      ads: { type: 'boolean', summary: 'With access to the advertising API.' },
      public: { type: 'boolean', summary: 'With a public OAuth 2.0 client, which has no secret: an app on a device or in a browser.' },
      'consumer-key': { type: 'string', value: 'key', summary: 'Instead of a generated one, at least 16 characters.' },
      'consumer-secret': { type: 'string', value: 'secret', summary: 'Instead of a generated one, at least 16 characters.' },
    },
    load: async () => (await import('./apps/run-apps.ts')).runCreateApp,
  },
  {
    name: 'apps portal',
    summary: "Make a link that opens the portal of an app: the console for the app's own people.",
    about: 'The link works once, within ten minutes, and opens the portal in that browser for eight hours.',
    examples: ['postern apps portal 1', { line: 'postern apps portal 1 --end', says: 'close it everywhere' }],
    arguments: [{ name: 'app', summary: 'The id of the app.', required: true }],
    options: { end: { type: 'boolean', summary: 'End all its sessions and links instead.' } },
    load: async () => (await import('./apps/run-apps.ts')).runAppPortal,
  },
  {
    name: 'apps usage',
    summary: 'Say which apps load the server, heaviest first.',
    about: 'Over the last hour, unless a day or a time is named. What backlog, oldest and rows say is of now.',
    examples: [
      'postern apps usage',
      { line: 'postern apps usage --by callback_ms --day', says: 'whose callbacks took longest since yesterday' },
    ],
    options: {
      by: {
        type: 'string',
        values: [
          ...['calls', 'refusals', 'events', 'deliveries', 'attempts', 'failed_attempts', 'bytes', 'callback_ms'],
          ...['backlog', 'backlog_age_ms', 'rows'],
        ],
        default: 'deliveries',
        summary: 'What to sort by.',
      },
      day: { type: 'boolean', summary: 'Over the last 24 hours.' },
      from: time('Default: an hour before --to.'),
      to: time('Default: now.'),
      'max-results': { type: 'string', value: 'number', default: '20', summary: 'How many apps, at most 100.' },
    },
    load: async () => (await import('./apps/run-usage.ts')).runAppUsage,
  },
  {
    name: 'seed',
    summary: 'Load a seed: create what of it does not exist yet.',
    about: 'A seed is JSON; comments and trailing commas are allowed. What exists is never overwritten: what differs is listed.',
    examples: ['postern seed world.json', { line: 'postern seed - < world.json', says: 'from stdin' }],
    arguments: [{ name: 'file', summary: 'The seed; - reads stdin.', required: true }],
    options: {},
    load: async () => (await import('./seed/run-seed.ts')).runSeed,
  },
  {
    name: 'reset',
    summary: 'Go back to the seed: everything else is deleted, and the clock is right again.',
    about: 'At a terminal it names the server and its database first, and asks.',
    examples: ['postern reset', 'postern reset --yes'],
    options: { yes: { type: 'boolean', short: 'y', summary: 'Do not ask.' } },
    load: async () => (await import('./clock/run-clock.ts')).runReset,
  },
  {
    name: 'clock advance',
    summary: 'Advance the clock, and say what happened in between.',
    about: 'Retries, challenges, rate limits and expiry follow this clock; it returns when all that was due has ended.',
    examples: ['postern clock advance 25h', 'postern clock advance 90s'],
    arguments: [
      {
        name: 'duration',
        summary: 'Such as 90s, 5m, 25h or 2d; at most 366 days.',
        required: true,
        positive: 'the clock only moves forward',
      },
    ],
    options: {},
    load: async () => (await import('./clock/run-clock.ts')).runAdvance,
  },
  {
    name: 'clock set',
    summary: 'Advance the clock to a time.',
    examples: ['postern clock set 2027-01-01T00:00:00Z'],
    arguments: [{ name: 'time', summary: 'In UTC, not before the current time of the server.', required: true }],
    options: {},
    load: async () => (await import('./clock/run-clock.ts')).runSet,
  },
]

/** For shells and readers. */
const shellCommands: readonly Command[] = [
  {
    name: 'completion',
    summary: 'Print a script that completes commands, options and values.',
    examples: [
      { line: 'source <(postern completion bash)', says: 'in ~/.bashrc' },
      { line: 'source <(postern completion zsh)', says: 'in ~/.zshrc, after compinit' },
      { line: 'postern completion fish > ~/.config/fish/completions/postern.fish', says: 'once' },
    ],
    arguments: [{ name: 'shell', summary: 'Which shell.', required: true, values: ['bash', 'zsh', 'fish'] }],
    options: {},
    offline: true,
    load: async () => (await import('./completion.ts')).runCompletion,
  },
  {
    name: 'help',
    summary: 'Say how a command is used, with examples.',
    examples: ['postern help', 'postern help trigger', 'postern help clock advance'],
    arguments: [{ name: 'command', summary: 'The command.', repeated: true }],
    options: {},
    offline: true,
    load: async () => (await import('./help.ts')).runHelp,
  },
]

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
      url: {
        type: 'string',
        value: 'origin',
        summary:
          'The Postern to lead to. Default: POSTERN_URL, the server that runs in this folder, or http://127.0.0.1:4000 (POSTERN_PORT). If none runs there, one in memory.',
      },
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
  ...parkedCommands,
  ...stateCommands,
  ...logCommands,
  ...backupCommands,
  ...shellCommands,
]
