import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

export const USAGE = `npm run receive -- [--port <port>] [--secret <consumer secret>]

Listens on 127.0.0.1, answers challenges and prints each event whose signature it verified.

  --port     or PORT; 4100 if neither is given, 0 for any free port
  --secret   or POSTERN_CONSUMER_SECRET; the demo app's if neither is given; may be repeated for several apps on one URL`

export interface ReceiveSettings {
  port: number
  secrets: string[]
  /** Where the secrets come from, in words. */
  secretsFrom: string
}

const DEMO_SEED = new URL('../../server/seeds/demo.json', import.meta.url)

/** What the command was asked for. Throws an Error that says in words what cannot be understood. */
export function readSettings(argv: string[], environment: Record<string, string | undefined>): ReceiveSettings | 'help' {
  const { values } = parseArgs({
    args: argv,
    options: { port: { type: 'string' }, secret: { type: 'string', multiple: true }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) return 'help'
  return { port: portOf(values.port ?? environment.PORT ?? '4100'), ...secretsOf(values.secret, environment.POSTERN_CONSUMER_SECRET) }
}

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new Error('The port must be a number from 0 to 65535.')
}

function secretsOf(argument: string[] | undefined, fromEnvironment: string | undefined): Omit<ReceiveSettings, 'port'> {
  if (argument?.includes('')) throw new Error('--secret must not be empty.')
  if (argument) return { secrets: argument, secretsFrom: '--secret' }
  if (fromEnvironment) return { secrets: [fromEnvironment], secretsFrom: 'POSTERN_CONSUMER_SECRET' }
  return { secrets: [demoSecret()], secretsFrom: 'the demo seed' }
}

function demoSecret(): string {
  try {
    return JSON.parse(readFileSync(DEMO_SEED, 'utf8')).apps[0].consumer_secret
  } catch {
    throw new Error('There is no demo seed here to take a consumer secret from: pass one with --secret.')
  }
}
