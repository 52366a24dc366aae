import { type FoundPostern, findPostern } from '../take-over/run/find-postern.ts'
import { runTakenOver } from '../take-over/run/run.ts'
import type { RunCommand } from './command.ts'

const FAILED = 1
const WRONG_USAGE = 2
const NO_SERVER = 3
/** What shells answer for a program that is not there, and for one that may not be run. */
const [NOT_EXECUTABLE, NOT_FOUND] = [126, 127]

const DEFAULT_URL = 'http://127.0.0.1:4000'

const say = (text: string) => process.stderr.write(`postern: ${text}\n`)

/** Settings that are this run's own: its server is in memory, on free ports. */
const NOT_TAKEN = /^POSTERN_(?:URL|PROFILE|SEED|DATABASE_URL|MEDIA_STORE|(?:.*_)?(?:PORT|HOST|BASE_URL))$/

/** The settings of the environment that a server of this run takes over. */
const settingsIn = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      name.startsWith('POSTERN_') && !NOT_TAKEN.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  )

/** A Postern in this process, in memory, for as long as the program runs. */
async function startFresh(): Promise<FoundPostern & { stop(): Promise<void> }> {
  const { startServer } = await import('../kit/start-server.ts')
  const { origins, stop } = await startServer({ dialect: 'x', seed: process.env.POSTERN_SEED, settings: settingsIn(process.env) })
  const found = await findPostern(origins.base_url)
  if (!found) throw new Error(`${origins.base_url} does not answer`)
  return { ...found, stop }
}

interface Wanted {
  url: string | undefined
  fresh: boolean
}

/** The Postern that the program is led to: the one that runs, or one of its own. Undefined when the one that was named does not answer. */
async function posternFor({ url, fresh }: Wanted): Promise<(FoundPostern & { stop?(): Promise<void> }) | undefined> {
  const running = fresh ? undefined : await findPostern(url ?? DEFAULT_URL)
  if (running) {
    say(`api.x.com and the other hosts lead to Postern at ${running.url}`)
    if (running.dialect !== 'x')
      say('that Postern has the names of the dialect spec; clients of x.com expect those of POSTERN_DIALECT=x, for example `tweets`')
    return running
  }
  if (url !== undefined && !fresh) return undefined
  const made = await startFresh()
  say(`api.x.com and the other hosts lead to a Postern of this run alone, in memory, at ${made.url}`)
  return made
}

/** Why a program could not be started, in words, and the exit code. */
function notStarted(program: string, { code, message }: NodeJS.ErrnoException): number {
  say(code === 'ENOENT' ? `there is no program ${program}` : `${program} cannot be started: ${message}`)
  return code === 'ENOENT' ? NOT_FOUND : NOT_EXECUTABLE
}

/** `postern run -- <command>`: runs a program whose calls of the real hosts lead to Postern. */
export const runRun: RunCommand = async ({ options, positionals }) => {
  const [program, ...words] = positionals
  if (program === undefined) {
    say('run needs the program to run: postern run -- node bot.js')
    return WRONG_USAGE
  }
  const url = (options.url as string | undefined) ?? process.env.POSTERN_URL
  const port = Number(options.port ?? 0)
  if ((url !== undefined && !URL.canParse(url)) || !Number.isInteger(port) || port < 0 || port > 65_535) {
    say(`${Number.isInteger(port) ? `--url ${url} is no URL` : `--port ${options.port} is no port`}`)
    return WRONG_USAGE
  }
  const postern = await posternFor({ url, fresh: options.fresh === true })
  if (!postern) {
    say(`no Postern answers at ${url}: start one with \`postern\`, or leave --url out to have one for this run alone`)
    return NO_SERVER
  }
  const keepLinks = options['keep-links'] === true
  try {
    return await runTakenOver({ postern, command: [program, ...words], environment: process.env, folder: '.postern', keepLinks, port })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall?.startsWith('spawn')) return notStarted(program, error as NodeJS.ErrnoException)
    say((error as Error).message)
    return FAILED
  } finally {
    await postern.stop?.()
  }
}
