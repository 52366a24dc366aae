import { type Logger, pino } from 'pino'
import { Problem } from './api/declare/problem.ts'
import { assemble, type Postern, StoppedError } from './assemble.ts'
import { developmentSecrets } from './development-secrets.ts'
import { DEMO_SEED, DEMO_USER, readSeed } from './endpoints/operator/seed/read-seed.ts'
import { createClock, holdProcess } from './lib/clock.ts'
import { noteRunningServer } from './lib/running-server.ts'
import { humanLog } from './logging/human-log.ts'
import { errorForLog } from './logging/kept-log.ts'
import { createLogDestination } from './logging/log-destination.ts'
import { operatorTokensOf } from './settings/operator-tokens.ts'
import { does, hasAllRoles } from './settings/roles.ts'
import { warnings } from './settings/setting-conflicts.ts'
import { environmentWarnings, readSettings, readTelemetry, SettingsError } from './settings/settings.ts'
import { loadTelemetry } from './telemetry/load-telemetry.ts'
import { welcome } from './welcome.ts'

const SHUTDOWN_MS = 10_000
/** For the last lines of the log. */
const FLUSH_MS = 1000
/** A signal to a process group comes twice: npm is in the group too, and passes its own on. */
const SAME_SIGNAL_MS = 1000

const atTerminal = process.stdout.isTTY === true

function createLogger(level: string, mixin: (() => object) | undefined) {
  const options = {
    level,
    base: null,
    serializers: { err: errorForLog },
    ...(mixin && { mixin }),
    timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
  }
  if (atTerminal) process.stdout.on('error', () => {})
  return atTerminal
    ? pino(
        options,
        humanLog((text) => void process.stdout.write(text)),
      )
    : pino(options, createLogDestination(clock))
}

const clock = createClock()

type SignalLog = Pick<Logger, 'info' | 'warn' | 'flush'>

/**
 * Serves on for the drain, then stops accepting, finishes what is in flight within 10 s, exits 0; what is not finished is logged. Another
 * signal, a second later or more, ends the drain; after that it exits at once. A signal that comes before there is a server is kept for it.
 */
function stopOnSignal(log: SignalLog) {
  const timers = createClock()
  let postern: Postern | undefined
  let step: 'running' | 'draining' | 'stopping' = 'running'
  /** The signal that comes now is the same as the last one. */
  let isSame = false
  /** Ends the process in the middle of its stop. What is left is in the database, and done by others or after the next start. */
  const cutOff = (status: number) => {
    const { parts, deliveries } = postern?.unfinished() ?? { parts: ['start'], deliveries: 0 }
    log.warn({ unfinished: parts, deliveries_in_flight: deliveries }, 'ended before everything was finished')
    timers.after(FLUSH_MS, () => process.exit(status))
    log.flush(() => process.exit(status))
  }
  const beginStop = () => {
    step = 'stopping'
    timers.after(SHUTDOWN_MS, () => cutOff(0))
  }
  const end = async (started: Postern) => {
    log.info('stopping')
    await started.drain()
    if (step !== 'stopping') beginStop()
    await started.stop()
    log.info('stopped')
    await new Promise<void>((resolve) => log.flush(() => resolve()))
    process.exit(0)
  }
  const stop = () => {
    if (isSame) return
    isSame = true
    timers.after(SAME_SIGNAL_MS, () => {
      isSame = false
    })
    if (step === 'stopping') return cutOff(1)
    if (step === 'draining') return postern?.endDrain()
    // Without a server nothing is to be drained.
    if (!postern) return beginStop()
    step = 'draining'
    void end(postern)
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
  return {
    assembled(made: Postern) {
      postern = made
      if (step !== 'running') void end(made)
    },
  }
}

/** A bug must not leave a process that half works: it is logged, and whoever watches starts anew; what was accepted is in the log. */
function endOnBug(log: Logger) {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception: shutting down')
    process.exit(1)
  })
}

async function run() {
  // Until it exits: what is in flight is finished after the listeners are closed.
  holdProcess()
  const settings = readSettings()
  const development = settings.profile === 'development'
  const exported = readTelemetry()
  const telemetry = exported && (await loadTelemetry(exported))
  const logger = createLogger(settings.logLevel, telemetry?.ofLine)
  const signals = stopOnSignal(logger)
  for (const warning of [...environmentWarnings(), ...warnings(settings)]) logger.warn(warning)
  const secrets = settings.secrets ?? [developmentSecrets('.postern/secret')]
  const generatesToken = development && !settings.operatorTokens
  const operatorToken = settings.operatorToken ?? (generatesToken ? developmentSecrets('.postern/operator-token') : undefined)
  const operatorTokens = operatorTokensOf(operatorToken, settings.operatorTokens)
  const seedPath = does(settings.roles, 'operator') ? (settings.seed ?? (development ? DEMO_SEED : undefined)) : undefined
  const seed = seedPath === undefined ? undefined : await readSeed(seedPath)
  if (settings.seed) for (const warning of seed?.warnings ?? []) logger.warn(warning)
  const postern = await assemble({
    settings,
    secrets,
    operatorTokens,
    seed: seed?.document,
    seedHash: seed?.hash,
    clock,
    logger,
    telemetry,
  })
  // Whoever sits at a terminal sees one process.
  if (!atTerminal) logger.setBindings({ worker: postern.worker })
  endOnBug(logger)
  signals.assembled(postern)
  const origins = await postern.start().catch((error) => {
    if (error instanceof StoppedError) return undefined
    throw error
  })
  // A signal came first, and ends the process.
  if (!origins) return
  if (atTerminal)
    process.stdout.write(welcome(origins, seed?.document, operatorToken, settings.seed ? undefined : DEMO_USER, postern.clockNotice()))
  if (development) {
    const forget = noteRunningServer('.postern', postern.boundAddresses())
    process.on('exit', () => forget?.())
  }
  logger.info({ ...origins, ...(!hasAllRoles(settings.roles) && { roles: settings.roles }), profile: settings.profile }, 'ready')
  logger.flush(postern.loadSeedAgain)
}

/** What an error says; of a seed that is refused everything that is wrong. */
function reasonOf(error: unknown): string {
  if (error instanceof Problem && error.members.errors)
    return `the seed is invalid: ${error.members.errors.map(({ message }) => message).join('; ')}`
  return error instanceof Error ? error.message : String(error)
}

/** Reads the settings, assembles and listens; ends the process with a sentence when it cannot. */
export async function start(): Promise<void> {
  try {
    await run()
  } catch (error) {
    const message = reasonOf(error)
    process.stderr.write(error instanceof SettingsError ? `${message}\n` : `Postern cannot start: ${message}\n`)
    process.exit(1)
  }
}
