// npm run simulate: a day of a million webhooks by a clock that is moved by hand.
import { parseArgs } from 'node:util'
import { type SimulationOptions, simulate } from './simulate.ts'

const USAGE = `npm run simulate -- [--small] [--webhooks <n>] [--hours <n>] [--events-per-second <n>] [--batch <n>] [--logs <n>]
                    [--round-minutes <n>] [--seed <n>]

Simulates a day: Postern's own modules on real PostgreSQL servers, one for the state and one for each event log, with a clock that is
moved by hand, and callbacks that take none but its time. After a quarter of the day 5 % of the callbacks are away for an hour, after 60 %
of it one event log is halted for ten minutes. Prints the figures as JSON. Exits with 1 if a guarantee is broken.

  --webhooks           how many there are (1000000)
  --hours              how long events are published, at least 4 (24)
  --events-per-second  of the clock that is moved (5)
  --batch              events in one call (100)
  --logs               event logs, 2 to 16 (3)
  --round-minutes      of the hourly round of challenges, before the day begins (1)
  --seed               of the random choices (1)
  --small              2,000 webhooks, 4 hours, one event in 2 s, 10 in a call`

function exit(status: number, message: string): never {
  const stream = status === 0 ? process.stdout : process.stderr
  stream.write(`${message}\n`)
  process.exit(status)
}

function readOptions() {
  const number = { type: 'string' } as const
  try {
    return parseArgs({
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        small: { type: 'boolean', default: false },
        webhooks: number,
        hours: number,
        'events-per-second': number,
        batch: number,
        logs: number,
        'round-minutes': number,
        seed: number,
      },
    }).values
  } catch (error) {
    return exit(2, `${(error as Error).message}\n\n${USAGE}`)
  }
}

const values = readOptions()
if (values.help) exit(0, USAGE)

type Name = 'webhooks' | 'hours' | 'events-per-second' | 'batch' | 'logs' | 'round-minutes' | 'seed'

function read(name: Name, usual: number, small: number, { from, to = Number.MAX_SAFE_INTEGER }: { from: number; to?: number }): number {
  const given = values[name]
  const number = given === undefined ? (values.small ? small : usual) : Number(given)
  if (!(number >= from && number <= to)) exit(2, `--${name} must be a number of at least ${from}${to < 1e9 ? `, at most ${to}` : ''}.`)
  if (name !== 'events-per-second' && !Number.isInteger(number)) exit(2, `--${name} must be a whole number.`)
  return number
}

const options: SimulationOptions = {
  webhooks: read('webhooks', 1_000_000, 2000, { from: 100, to: 10_000_000 }),
  hours: read('hours', 24, 4, { from: 4, to: 48 }),
  eventsPerSecond: read('events-per-second', 5, 0.5, { from: 0.01 }),
  batch: read('batch', 100, 10, { from: 1, to: 1000 }),
  logs: read('logs', 3, 3, { from: 2, to: 16 }),
  roundMinutes: read('round-minutes', 1, 1, { from: 0, to: 60 }),
  seed: read('seed', 1, 1, { from: 0, to: 2 ** 32 - 1 }),
  progress: (line) => void process.stderr.write(`${line}\n`),
}

const figures = await simulate(options)
const { progress: _, ...asked } = options
process.stdout.write(`${JSON.stringify({ ...asked, ...figures }, undefined, 2)}\n`)
const { arrived, deliveries, givenUp } = figures
if (arrived < deliveries || givenUp > 0) exit(1, `${deliveries - arrived} deliveries did not arrive, ${givenUp} were given up.`)
