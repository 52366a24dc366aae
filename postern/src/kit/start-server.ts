import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assemble } from '../../../server/src/assemble.ts'
import { DEMO_SEED, readSeedText } from '../../../server/src/endpoints/operator/seed/read-seed.ts'
import { createClock } from '../../../server/src/lib/clock.ts'
import { keptLog } from '../../../server/src/logging/kept-log.ts'
import { operatorTokensOf } from '../../../server/src/settings/operator-tokens.ts'
import { readSettings } from '../../../server/src/settings/settings.ts'
import type { LogLine } from './log-line.ts'
import type { Seed, StartOptions } from './start-options.ts'

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

async function seedOf(seed: Seed | string = DEMO_SEED) {
  if (typeof seed !== 'string') return readSeedText('of the test', JSON.stringify(seed))
  return readSeedText(seed, await readFile(seed, 'utf8'))
}

/** Starts a server in this process: a development server on free ports, in memory, which shares nothing with others. */
export async function startServer({ dialect, database, logLevel, seed, settings }: StartOptions): Promise<StartedServer> {
  const mediaFolder = join(tmpdir(), `postern-${randomBytes(8).toString('hex')}`)
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
  const document = await seedOf(seed)
  const clock = createClock()
  const { logger, lines } = keptLog(read.logLevel, clock, KEPT_LINES)
  const secrets = read.secrets ?? [randomSecret()]
  const operatorTokens = operatorTokensOf(read.operatorToken, read.operatorTokens)
  const postern = await assemble({ settings: read, secrets, operatorTokens, seed: document, clock, logger })
  const stop = async () => {
    await postern.stop()
    await rm(mediaFolder, { recursive: true, force: true })
  }
  const origins = await postern.start().catch(async (error) => {
    await stop()
    throw error
  })
  return { origins, operatorToken: read.operatorToken ?? operatorToken, seed: document as Seed, log: lines, stop }
}
