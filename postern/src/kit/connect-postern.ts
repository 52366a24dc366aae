import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunningServer } from '../../../server/src/lib/running-server.ts'
import { findPostern } from '../take-over/run/find-postern.ts'
import { addressesOf } from './addresses.ts'
import { checkNames } from './check-names.ts'
import { createPostern } from './create-postern.ts'
import { createOperatorApi, PosternError } from './operator-api.ts'
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

interface Token {
  token: string
  /** Where it was found. */
  source: string
}

/** The operator token: what somebody says, or what a development server wrote into the folder where it was started. */
async function tokenOf({ operatorToken }: ConnectOptions, running: RunningServer | undefined): Promise<Token> {
  if (operatorToken !== undefined) return { token: operatorToken, source: 'operatorToken' }
  if (running?.operator_token !== undefined) return { token: running.operator_token, source: '.postern/server.json' }
  const { POSTERN_OPERATOR_TOKEN: token } = process.env
  if (token !== undefined) return { token, source: 'POSTERN_OPERATOR_TOKEN' }
  const text = await readFile(TOKEN_FILE, 'utf8').catch(() => '')
  if (text === '') throw new Error(`connectPostern needs an operatorToken: there is no POSTERN_OPERATOR_TOKEN, and no file ${TOKEN_FILE}`)
  return { token: text.trim(), source: `the file ${TOKEN_FILE}` }
}

const UNAUTHORIZED = 401
const NOT_FOUND = 404

/** Calls an operator endpoint, so that a wrong token or address is told at once, and not by the first call of a test. */
async function checkOperator(operatorUrl: string, { token, source }: Token): Promise<void> {
  try {
    await createOperatorApi(operatorUrl, token).call('GET', '/operator/server')
  } catch (error) {
    if (!(error instanceof PosternError) || ![UNAUTHORIZED, NOT_FOUND].includes(error.status)) throw error
    const { status, body } = error
    const message =
      status === UNAUTHORIZED
        ? `${operatorUrl} refuses the operator token of ${source}: give that of this server as operatorToken or POSTERN_OPERATOR_TOKEN`
        : `${operatorUrl} has no operator endpoints: where they have a port of their own, give operatorUrl or POSTERN_OPERATOR_URL`
    throw new PosternError(message, status, body)
  }
}

/** Throws a TypeError for what is no origin. */
function checkOrigin(name: string, origin: string): void {
  if (/^https?:$/.test(URL.parse(origin)?.protocol ?? '')) return
  throw new TypeError(`connectPostern: ${name} is an origin such as http://127.0.0.1:4000, and not ${origin}`)
}

/**
 * Uses a Postern in development that runs elsewhere: another process, a container. It is not stopped at the end; make a `world` for each test.
 * @throws when no Postern in development answers there, or it refuses the operator token.
 */
export async function connectPostern(options: ConnectOptions = {}): Promise<Postern> {
  checkNames('connectPostern', options, OPTIONS)
  const { seed = await readDemoSeed() } = options
  const { url, operatorUrl, running } = addressesOf(options, process.env)
  checkOrigin('url', url)
  checkOrigin('operatorUrl', operatorUrl)
  const token = await tokenOf(options, running)
  const found = await findPostern(url)
  if (!found)
    throw new Error(`no Postern in development answers at ${url}: start one with \`npx postern\`, or give the url of its general host`)
  await checkOperator(operatorUrl, token)
  const takeOvers = await createTakeOvers(url)
  const [adsUrl, adsSandboxUrl] = [found.hosts['ads-api.x.com']!, found.hosts['ads-api-sandbox.x.com']!]
  return createPostern({ url: found.url, adsUrl, adsSandboxUrl, operatorUrl, operatorToken: token.token, seed, takeOvers })
}
