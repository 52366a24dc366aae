import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import type { ParseError } from 'jsonc-parser'
import { assemble } from '../../../server/src/assemble.ts'
import { DEMO_SEED, readSeedText } from '../../../server/src/endpoints/operator/seed/read-seed.ts'
import { createClock, holdProcess } from '../../../server/src/lib/clock.ts'
import { parseCommentedJson } from '../../../server/src/lib/commented-json.ts'
import { writeExactJson } from '../../../server/src/lib/numbers.ts'
import { keptLog } from '../../../server/src/logging/kept-log.ts'
import { operatorTokensOf } from '../../../server/src/settings/operator-tokens.ts'
import { readSettings, unknownSettings } from '../../../server/src/settings/settings.ts'
import { temporaryMediaFolder } from '../../../server/src/storage/media-files/open-media-files.ts'
import type { LogLine } from './log-line.ts'
import type { Seed, SettingValues, StartOptions } from './start-options.ts'

const FREE_PORTS = { POSTERN_PORT: '0', POSTERN_ADS_PORT: '0', POSTERN_ADS_SANDBOX_PORT: '0' }
const KEPT_LINES = 10_000

/** A server in this process. */
export interface StartedServer {
  origins: Origins
  operatorToken: string
  /** The seed as it was loaded. */
  seed: Seed
  log: readonly LogLine[]
  stop(): Promise<void>
}

/** Where a server is called. */
export interface Origins {
  base_url: string
  ads_base_url: string
  ads_sandbox_base_url: string
  operator_url: string
}

const randomSecret = () => randomBytes(32).toString('base64url')

/** The text of a seed file, completed. One that holds no seed is left as it is: the check says what is wrong. */
function completed(source: string, complete: (seed: Seed) => Seed): string {
  const errors: ParseError[] = []
  const value = parseCommentedJson(source, errors)
  const isSeed = typeof value === 'object' && value !== null && !Array.isArray(value) && Array.isArray((value as Seed).apps ?? [])
  return isSeed && errors.length === 0 ? writeExactJson(complete(value as Seed)) : source
}

async function seedOf(seed: Seed | string = DEMO_SEED, complete: InProcess['complete'] = (whole) => whole) {
  if (typeof seed !== 'string') return readSeedText('of the test', JSON.stringify(complete(seed)))
  const source = await readFile(seed, 'utf8')
  return readSeedText(seed, seed === DEMO_SEED ? source : completed(source, complete))
}

/** Throws a TypeError for settings that would be ignored, or read as something else. */
export function checkSettings(settings: SettingValues): void {
  const wrong = [
    ...unknownSettings(Object.keys(settings)),
    ...Object.entries(settings).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'string' ? [] : [`${name} must be a text, as in the environment: '${value}'`],
    ),
  ]
  if (wrong.length > 0) throw new TypeError(`startPostern: ${wrong.join('; ')}`)
}

/** Keeps this process alive while `task` runs. */
async function held<T>(task: () => Promise<T>): Promise<T> {
  using _ = holdProcess()
  return await task()
}

/** How a server of this process is started beside its options. */
interface InProcess {
  /** True if the process may end although the server was not stopped. */
  unheld?: boolean
  /** Adds to a seed what whoever starts the server must know of it; the demo seed has it. */
  complete?: (seed: Seed) => Seed
}

/** Starts a server in this process: a development server on free ports, in memory, which shares nothing with others. */
export const startServer = (options: StartOptions, how: InProcess = {}): Promise<StartedServer> => held(() => start(options, how))

async function start(
  { dialect, database, logLevel, seed, settings }: StartOptions,
  { unheld, complete }: InProcess,
): Promise<StartedServer> {
  const mediaFolder = temporaryMediaFolder()
  const operatorToken = randomSecret()
  const read = readSettings({
    ...FREE_PORTS,
    POSTERN_MEDIA_STORE: mediaFolder,
    POSTERN_DATABASE_URL: database ?? 'sqlite::memory:',
    POSTERN_LOG_LEVEL: logLevel ?? 'info',
    POSTERN_DIALECT: dialect ?? 'spec',
    POSTERN_OPERATOR_TOKEN: operatorToken,
    ...settings,
  })
  const document = await seedOf(seed, complete)
  const clock = createClock()
  const { logger, lines } = keptLog(read.logLevel, clock, KEPT_LINES)
  const secrets = read.secrets ?? [randomSecret()]
  const operatorTokens = operatorTokensOf(read.operatorToken, read.operatorTokens)
  const postern = await assemble({ settings: read, secrets, operatorTokens, seed: document, clock, logger, unheld })
  const stop = () =>
    held(async () => {
      await postern.stop()
      await rm(mediaFolder, { recursive: true, force: true })
    })
  const origins = await postern.start().catch(async (error) => {
    await stop()
    throw error
  })
  return { origins, operatorToken: read.operatorToken ?? operatorToken, seed: document as Seed, log: lines, stop }
}
