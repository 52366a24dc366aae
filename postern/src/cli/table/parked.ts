import type { Command } from '../command.ts'

/** Messages of a broker that can never be published. */
export const parkedCommands: readonly Command[] = [
  {
    name: 'parked list',
    summary: 'List the messages of the broker that can never be published, and why, the last parked first.',
    about: 'Of a broker that events are taken from: POSTERN_EVENTS_FROM.',
    examples: ['postern parked list', { line: 'postern parked list --json', says: 'with the beginning of each' }],
    options: { 'max-results': { type: 'string', value: 'number', default: '100', summary: 'How many, at most 1000.' } },
    load: async () => (await import('../parked/run-parked.ts')).runListParked,
  },
  {
    name: 'parked show',
    summary: 'Print what a parked message holds.',
    examples: [
      'postern parked show 1997712707928100864',
      { line: 'postern parked show 1997712707928100864 > message.json', says: 'to correct it, and send it again' },
    ],
    arguments: [{ name: 'message id', summary: 'As `postern parked list` names it.', required: true }],
    options: {},
    load: async () => (await import('../parked/run-parked.ts')).runShowParked,
  },
  {
    name: 'parked discard',
    summary: 'Discard parked messages: nothing of them is published.',
    about: 'With --all it names how many there are first, and asks at a terminal.',
    examples: ['postern parked discard 1997712707928100864', 'postern parked discard --all'],
    arguments: [{ name: 'message id', summary: 'As `postern parked list` names it.', repeated: true }],
    options: { all: { type: 'boolean', summary: 'All there are.' } },
    load: async () => (await import('../parked/run-parked.ts')).runDiscardParked,
  },
]
