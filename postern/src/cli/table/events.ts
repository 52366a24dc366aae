import type { Command, CommandOption } from '../command.ts'
import { eventTypes } from '../event-types.ts'

const eventTypeNames = Object.keys(eventTypes)

const webhook: CommandOption = { type: 'string', value: 'id', summary: 'Only those of this webhook.' }
/** A time of the command line. */
export const time = (summary: string): CommandOption => ({
  type: 'string',
  value: 'time',
  summary: `${summary} In UTC, such as 2026-03-01T12:00Z, or how long ago, such as 90m.`,
})

const nextTry = (summary: string): CommandOption => ({
  type: 'string',
  value: 'time',
  summary: `${summary} In UTC, such as 2026-03-01T12:00Z, or how long from now, such as 10m.`,
})

/** Whose app and user a command acts as. */
export const credentials: Readonly<Record<string, CommandOption>> = {
  seed: {
    type: 'string',
    value: 'file',
    summary: 'The seed that has the keys of the app and the tokens. Default: POSTERN_SEED, or the demo seed.',
  },
  app: { type: 'string', value: 'key', summary: 'The consumer key of the app, if the seed has several. Default: the first.' },
}

/** Events: cause them, receive them, look at what became of them. */
export const eventCommands: readonly Command[] = [
  {
    name: 'trigger',
    summary: 'Cause an event, and say who got it or why nobody did.',
    about:
      'What users do is done, through the API, so that what the event tells of is there. All other types are published as examples, and so is any type with members of the payload; a member is set by its name, however deep it stands. Without an event type all of them are listed. Users are ids or usernames; who is not named is somebody who may.',
    examples: [
      { line: 'postern trigger dm.received --to ada --text Hello', says: 'somebody writes to ada' },
      { line: 'postern trigger follow.follow --from pavel --to ada', says: 'pavel follows ada: about pavel, whose direction is `sent`' },
      { line: 'postern trigger follow.follow --to ada', says: 'somebody follows ada: about ada' },
      { line: 'postern trigger post.mention.create --to ada', says: 'somebody mentions ada in a post' },
      { line: 'postern trigger profile.update.verified --user ada before=none after=blue' },
    ],
    arguments: [
      { name: 'event type', summary: 'Such as dm.received; former names are accepted too.', suggestions: eventTypeNames },
      { name: 'name=value', summary: 'A member of the payload with that name.', repeated: true },
    ],
    options: {
      user: {
        type: 'string',
        value: 'user',
        summary: 'Whom the event is about. Default: follows from --to, --from and the event type, or the first user.',
      },
      from: { type: 'string', value: 'user', summary: 'Who does it.' },
      to: { type: 'string', value: 'user', summary: 'To whom it is done.' },
      direction: { type: 'string', values: ['sent', 'received'], summary: 'Whether the user did it, or it was done to them.' },
      text: { type: 'string', summary: 'The text of the post or message, the bio, name, location, URL or title.' },
      app: { type: 'string', value: 'id', summary: 'The app that oauth.revoke names.' },
      'no-wait': { type: 'boolean', summary: 'Return as soon as the event is published.' },
    },
    load: async () => (await import('../trigger/run-trigger.ts')).runTrigger,
  },
  {
    name: 'publish',
    summary: 'Publish an event as a producer does, in production too, and say who got it or why nobody did.',
    about: 'It is delivered like every other event. With an --event that was accepted before nothing is sent again.',
    examples: [
      `postern publish profile.update.bio --user 101 --payload '{"before":"Ahoy","after":"Hello"}'`,
      {
        line: `postern publish profile.update.bio --user ada --payload '{"before":"Hello","after":"Ahoy"}' --event 7`,
        says: 'sent twice, it counts once',
      },
    ],
    arguments: [
      {
        name: 'event type',
        summary: 'Such as dm.received; former names are accepted too.',
        required: true,
        suggestions: eventTypeNames,
      },
    ],
    options: {
      user: { type: 'string', value: 'user', summary: 'Whom the event is about: an id, or the username of a user of the server.' },
      payload: { type: 'string', value: 'json', default: '{}', summary: 'What it carries: an object, which docs/events.md describes.' },
      direction: { type: 'string', values: ['sent', 'received'], summary: 'Whether the user did it, or it was done to them.' },
      text: { type: 'string', summary: 'The text that keyword filters match.' },
      event: { type: 'string', value: 'uuid', summary: 'Its id, a whole number. Default: a new one.' },
      'no-wait': { type: 'boolean', summary: 'Return as soon as the event is published.' },
    },
    load: async () => (await import('../publish/run-publish.ts')).runPublish,
  },
  {
    name: 'listen',
    summary: 'Register a webhook and pass its events on to a URL, byte for byte with their signature.',
    about:
      'The webhook is the app’s own and is there until this ends (Ctrl-C). Challenges are answered here, unless they are to be passed on. Without --forward events are only shown. Their signature stays right: it is that of the app’s consumer secret over the body.',
    examples: [
      { line: 'postern listen --forward http://127.0.0.1:3000/webhook', says: 'the demo user’s events of every type' },
      { line: 'postern listen --events dm.received,follow.follow --user 101 --user 102' },
      { line: 'postern listen --json | jq .event.data.event_type' },
    ],
    options: {
      forward: { type: 'string', value: 'url', summary: 'Where each event is sent.' },
      'forward-challenges': { type: 'boolean', summary: 'Let that URL answer the challenges too.' },
      events: { type: 'string', value: 'types', summary: 'Event types, comma separated. Default: every type.' },
      user: { type: 'string', value: 'id', multiple: true, summary: 'Whose events. Default: the first user of the seed who has a token.' },
      keyword: { type: 'string', value: 'query', summary: 'For types that match a keyword, such as news.new.' },
      ...credentials,
    },
    load: async () => (await import('../listen/run-listen.ts')).runListen,
  },
  {
    name: 'deliveries',
    summary: 'List deliveries with how their last attempt ended, newest first.',
    examples: [
      'postern deliveries',
      'postern deliveries --state given_up',
      { line: 'postern deliveries --next-to 10m', says: 'what is tried again within ten minutes' },
      { line: 'postern deliveries --event 2235289269612576768', says: 'with every attempt, or why nobody got it' },
    ],
    options: {
      webhook,
      event: { type: 'string', value: 'uuid', summary: 'Only those of this event, with every attempt.' },
      state: { type: 'string', values: ['pending', 'delivered', 'retrying', 'given_up', 'not_sent'], summary: 'Only those in this state.' },
      'accepted-to': time('Only those of events that were accepted before.'),
      'next-from': nextTry('Only those whose next attempt is due then or later.'),
      'next-to': nextTry('Only those whose next attempt is due before.'),
      'max-results': { type: 'string', value: 'number', default: '20', summary: 'How many, at most 1000.' },
    },
    load: async () => (await import('../deliveries/run-deliveries.ts')).runDeliveries,
  },
  {
    name: 'resend',
    summary: 'Send deliveries again that have ended.',
    about:
      'To many webhooks it is a job of the server, which goes on when this ends; its end is waited for. It is over when all that match are due: `postern deliveries` shows what became of them.',
    examples: [
      { line: 'postern resend 2235289269612576768', says: 'one event, to every webhook that it was for' },
      'postern resend --webhook 1997712707928100864 --state given_up --from 2026-03-01T12:00Z --to 2026-03-01T13:00Z',
      { line: 'postern resend --from 1h --dry-run', says: 'how many of the last hour did not arrive anywhere' },
      { line: 'postern resend --from 1h', says: 'send them again' },
    ],
    arguments: [{ name: 'event uuid', summary: 'The event; or else which deliveries.' }],
    options: {
      webhook: { type: 'string', value: 'id', summary: 'Only to this webhook. Default: to every one.' },
      app: { type: 'string', value: 'id', summary: 'Only to webhooks of this app.' },
      type: { type: 'string', value: 'event type', summary: 'Only of events of this type.' },
      state: {
        type: 'string',
        values: ['given_up', 'not_sent', 'delivered'],
        summary: 'Only those that ended so. Default without --webhook: given up or not sent.',
      },
      'dry-run': { type: 'boolean', summary: 'Say how many, and send nothing.' },
      'no-wait': { type: 'boolean', summary: 'Return as soon as the job is created.' },
      cancel: { type: 'string', value: 'job id', summary: 'Cancel that resend job instead.' },
      from: time('Of events accepted from then on. Default: 24 hours ago.'),
      to: time('Of events accepted before then. Default: now.'),
    },
    load: async () => (await import('../deliveries/run-resend.ts')).runResend,
  },
  {
    name: 'replay',
    summary: 'Replay the events of a webhook from the past 24 hours, and wait for the end.',
    examples: [
      { line: 'postern replay 1997712707928100864', says: 'the last 24 hours' },
      'postern replay 1997712707928100864 --from 2026-03-01T12:00Z --to 2026-03-01T12:30Z',
    ],
    arguments: [{ name: 'webhook id', summary: 'The webhook.', required: true }],
    options: {
      from: time('From this minute on. Default: the first full minute of the past 24 hours.'),
      to: time('Before this minute. Default: now.'),
      'no-wait': { type: 'boolean', summary: 'Return as soon as the job is created.' },
    },
    exitCodes: { 1: 'Refused, or the job ended with failures.' },
    load: async () => (await import('../deliveries/run-replay.ts')).runReplay,
  },
]
