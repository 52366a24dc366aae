import type { Command } from '../command.ts'

/** What a server knows: apps, seeds, its clock. */
export const stateCommands: readonly Command[] = [
  {
    name: 'apps list',
    summary: 'List the apps, oldest first.',
    examples: ['postern apps list', 'postern apps list --json'],
    options: {},
    load: async () => (await import('../apps/run-apps.ts')).runListApps,
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
    load: async () => (await import('../apps/run-apps.ts')).runCreateApp,
  },
  {
    name: 'seed',
    summary: 'Load a seed: create what of it does not exist yet.',
    about: 'A seed is JSON; comments and trailing commas are allowed. What exists is never overwritten: what differs is listed.',
    examples: ['postern seed world.json', { line: 'postern seed - < world.json', says: 'from stdin' }],
    arguments: [{ name: 'file', summary: 'The seed; - reads stdin.', required: true }],
    options: {},
    load: async () => (await import('../seed/run-seed.ts')).runSeed,
  },
  {
    name: 'reset',
    summary: 'Go back to the seed: everything else is deleted, and the clock is right again.',
    examples: ['postern reset'],
    options: {},
    load: async () => (await import('../clock/run-clock.ts')).runReset,
  },
  {
    name: 'clock advance',
    summary: 'Advance the clock, and say what happened in between.',
    about: 'Retries, challenges, rate limits and expiry follow this clock; it returns when all that was due has ended.',
    examples: ['postern clock advance 25h', 'postern clock advance 90s'],
    arguments: [{ name: 'duration', summary: 'Such as 90s, 5m, 25h or 2d.', required: true, positive: 'the clock only moves forward' }],
    options: {},
    load: async () => (await import('../clock/run-clock.ts')).runAdvance,
  },
  {
    name: 'clock set',
    summary: 'Advance the clock to a time.',
    examples: ['postern clock set 2027-01-01T00:00:00Z'],
    arguments: [{ name: 'time', summary: 'In UTC, not before the current time of the server.', required: true }],
    options: {},
    load: async () => (await import('../clock/run-clock.ts')).runSet,
  },
]
