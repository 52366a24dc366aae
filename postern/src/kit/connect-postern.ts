import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findPostern } from '../take-over/run/find-postern.ts'
import { addressesOf } from './addresses.ts'
import { checkNames } from './check-names.ts'
import { createPostern } from './create-postern.ts'
import type { Postern } from './postern.ts'
import type { Seed } from './start-options.ts'
import { createTakeOvers } from './take-over.ts'

/** Where a Postern runs, and what it was seeded with. */
export interface ConnectOptions {
  /** Its general host. Default: `POSTERN_URL`, the server that runs in this folder, or the usual port of this machine. */
  url?: string
  /** Where its operator endpoints are. Default: `POSTERN_OPERATOR_URL`, or its general host; without any address `POSTERN_OPERATOR_PORT`. */
  operatorUrl?: string
  /** Default: `POSTERN_OPERATOR_TOKEN`, or the file `.postern/operator-token` that a server in this folder made. */
  operatorToken?: string
  /** The part of its seed that the test uses: its first app with its keys, users and tokens. Default: the demo seed. */
  seed?: Seed
}

const OPTIONS = ['url', 'operatorUrl', 'operatorToken', 'seed'] satisfies (keyof ConnectOptions)[]

const DEMO_SEED = join(import.meta.dirname, '../../../server/seeds/demo.json')
const TOKEN_FILE = '.postern/operator-token'

const readDemoSeed = async () => JSON.parse(await readFile(DEMO_SEED, 'utf8')) as Seed

/** The token that a development server writes into the folder where it was started. */
async function tokenInFolder(): Promise<string> {
  const text = await readFile(TOKEN_FILE, 'utf8').catch(() => '')
  if (text === '') throw new Error(`connectPostern needs an operatorToken: there is no POSTERN_OPERATOR_TOKEN, and no file ${TOKEN_FILE}`)
  return text.trim()
}

/**
 * Uses a Postern in development that runs elsewhere: another process, a container. It is not stopped at the end; make a `world` for each test.
 * @throws when no Postern in development answers there.
 */
export async function connectPostern(options: ConnectOptions = {}): Promise<Postern> {
  checkNames('connectPostern', options, OPTIONS)
  const { seed = await readDemoSeed() } = options
  const { url, operatorUrl, running } = addressesOf(options, process.env)
  const operatorToken = options.operatorToken ?? running?.operator_token ?? process.env.POSTERN_OPERATOR_TOKEN ?? (await tokenInFolder())
  const found = await findPostern(url)
  if (!found) throw new Error(`no Postern in development answers at ${url}: start one with \`npx postern\``)
  const takeOvers = await createTakeOvers(url)
  const [adsUrl, adsSandboxUrl] = [found.hosts['ads-api.x.com']!, found.hosts['ads-api-sandbox.x.com']!]
  return createPostern({ url: found.url, adsUrl, adsSandboxUrl, operatorUrl, operatorToken, seed, takeOvers })
}
