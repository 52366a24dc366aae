import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

export const USAGE = `npm run receive -- [--port <port>] [--secret <consumer secret>]

Listens on 127.0.0.1, answers challenges, verifies the signature of each event and prints it.

  --port     or PORT; default: 4100; 0 for any free port
  --secret   or POSTERN_CONSUMER_SECRET; default: that of the demo app; repeat it for several apps on one URL`

export interface ReceiveOptions {
  port: number
  secrets: string[]
  /** Where the secrets come from, for the user. */
  secretSource: string
}

const DEMO_SEED = new URL('../../server/seeds/demo.json', import.meta.url)

/** Reads the options of `npm run receive`. Throws an Error with a message for the user. */
export function readOptions(argv: string[], environment: Record<string, string | undefined>): ReceiveOptions | 'help' {
  const { values } = parseArgs({
    args: argv,
    options: { port: { type: 'string' }, secret: { type: 'string', multiple: true }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) return 'help'
  return { port: parsePort(values.port ?? environment.PORT ?? '4100'), ...readSecrets(values.secret, environment.POSTERN_CONSUMER_SECRET) }
}

function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new Error('The port must be a number from 0 to 65535.')
}

function readSecrets(argument: string[] | undefined, fromEnvironment: string | undefined): Omit<ReceiveOptions, 'port'> {
  if (argument?.includes('')) throw new Error('--secret must not be empty.')
  if (argument) return { secrets: argument, secretSource: '--secret' }
  if (fromEnvironment) return { secrets: [fromEnvironment], secretSource: 'POSTERN_CONSUMER_SECRET' }
  return { secrets: [readDemoSecret()], secretSource: 'the demo seed' }
}

function readDemoSecret(): string {
  try {
    return JSON.parse(readFileSync(DEMO_SEED, 'utf8')).apps[0].consumer_secret
  } catch {
    throw new Error('No demo seed found to read a consumer secret from: pass one with --secret.')
  }
}
