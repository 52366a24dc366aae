import type { Command } from '../command.ts'

const log = { name: 'log', summary: 'Its number.', required: true, positive: 'logs are numbered from 1' } as const

/** Which database has which part of the events. */
export const logCommands: readonly Command[] = [
  {
    name: 'logs list',
    summary: 'List the event logs: the slots and events of each, and whether it is there.',
    about: 'A log that drains is unused once its events have left the retention: then its URL can be taken out of POSTERN_LOG_URLS.',
    examples: ['postern logs list', 'postern logs list --json'],
    options: {},
    load: async () => (await import('../logs/run-logs.ts')).runListLogs,
  },
  {
    name: 'logs add',
    summary: 'Give an event log as many slots as the others have.',
    about: 'Its URL is in POSTERN_LOG_URLS of every process before. Nothing is copied: earlier events stay where they are.',
    examples: ['postern logs add 2'],
    arguments: [log],
    options: {},
    load: async () => (await import('../logs/run-logs.ts')).runAddLog,
  },
  {
    name: 'logs drain',
    summary: 'Take all slots from an event log, so that it can be taken out of service.',
    about:
      'It gets no new events. What it has is sent and replayed until it has left the retention. With --lost one whose database is lost for good is given up, with what it alone had.',
    examples: ['postern logs drain 1', 'postern logs drain 2 --lost'],
    arguments: [log],
    options: {
      lost: { type: 'boolean', summary: 'Its database is lost for good. Refused while a process can use it.' },
    },
    load: async () => (await import('../logs/run-logs.ts')).runDrainLog,
  },
]
