import { delimiter, resolve } from 'node:path'
import { noteRunningServer } from '../../../server/src/lib/running-server.ts'
import { type FoundPostern, findPostern } from '../take-over/run/find-postern.ts'
import { runTakenOver } from '../take-over/run/run.ts'
import type { RunCommand } from './command.ts'
import { EXIT, Failure, wrongUsage } from './failure.ts'
import { placeOf } from './server.ts'

/** What shells answer for a program that is not there, and for one that may not be run. */
const NOT_RUN = { notExecutable: 126, notFound: 127 } as const

const say = (text: string) => process.stderr.write(`postern: ${text}\n`)

/** Settings that are this run's own: its server is one process in memory, on free ports. Messages of a broker are not for it. */
const NOT_TAKEN =
  /^POSTERN_(?:URL|PROFILE|ROLES|MEDIA_STORE|OPERATOR_TOKEN_FILE|(?:DATABASE_URL|LOG_URLS|EVENTS_FROM)(?:_FILE)?|(?:.*_)?(?:PORT|HOST|BASE_URL))$/

/** The settings of the environment that a server of this run takes over. */
const settingsIn = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      name.startsWith('POSTERN_') && !NOT_TAKEN.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  )

/** What a program is led to; of a Postern of this run alone with what stops it. */
interface LedTo extends FoundPostern {
  /** Where its operator endpoints are. */
  operatorUrl: string
  /** Of a Postern of this run alone, or of the one that runs in this folder. */
  operatorToken?: string | undefined
  stop?(): Promise<void>
}

/** A Postern in this process, in memory, for as long as the program runs. */
async function startFresh(): Promise<LedTo> {
  const { startServer } = await import('../kit/start-server.ts')
  const { origins, operatorToken, stop } = await startServer({
    dialect: 'x',
    seed: process.env.POSTERN_SEED || undefined,
    settings: settingsIn(process.env),
  })
  const found = await findPostern(origins.base_url)
  if (found) return { ...found, operatorUrl: origins.operator_url, operatorToken, stop }
  await stop()
  throw new Error(`${origins.base_url} does not answer`)
}

interface Wanted {
  url: string
  operatorUrl: string
  /** Of the server that runs in this folder. A program that is told a URL does not look there. */
  operatorToken: string | undefined
  /** Whether somebody said so; else it is where Postern usually listens. */
  isNamed: boolean
  fresh: boolean
}

/** The Postern that the program is led to: the one that runs, or one of its own. Throws when the one that was named does not answer. */
async function posternFor({ url, operatorUrl, operatorToken, isNamed, fresh }: Wanted): Promise<LedTo> {
  const running = fresh ? undefined : await findPostern(url)
  if (running) {
    say(`api.x.com and the other hosts lead to Postern at ${running.url}`)
    if (running.dialect !== 'x')
      say('that Postern has the names of the dialect spec; clients of x.com expect those of POSTERN_DIALECT=x, for example `tweets`')
    return { ...running, operatorUrl, operatorToken }
  }
  if (isNamed && !fresh)
    throw new Failure(
      `No Postern answers at ${url}: start one with \`postern\`, or leave --url out to have one for this run alone.`,
      EXIT.noServer,
    )
  const made = await startFresh()
  const why = fresh ? '' : `no Postern answers at ${url}: `
  say(`${why}api.x.com and the other hosts lead to a Postern of this run alone, in memory, at ${made.url}`)
  const { url: own, operatorUrl: operator_url, operatorToken: operator_token } = made
  const forget = noteRunningServer('.postern', { url: own, operator_url, operator_token })
  if (forget) say('while it runs, other `postern` commands in this folder find it; .postern/server.json has its operator token')
  return {
    ...made,
    async stop() {
      forget?.()
      await made.stop?.()
    },
  }
}

/** Why a program could not be started, in words, with the exit code that shells have for it. */
function notStarted(program: string, { code, message }: NodeJS.ErrnoException): Failure {
  if (code === 'ENOENT') return new Failure(`postern: there is no program ${program}`, NOT_RUN.notFound)
  return new Failure(`postern: ${program} cannot be started: ${message}`, NOT_RUN.notExecutable)
}

/** What the kit and the other commands read in the program. A token that this run does not know they find as they do without `run`. */
const variablesOf = ({ url, operatorUrl, operatorToken }: LedTo) => ({
  POSTERN_URL: url,
  POSTERN_OPERATOR_URL: operatorUrl,
  ...(operatorToken && { POSTERN_OPERATOR_TOKEN: operatorToken }),
})

/** The programs of this repository, which npx puts first: the Node that it brings is for itself, and a program runs on its user's. */
const OWN_PROGRAMS = resolve(import.meta.dirname, '../../../node_modules/.bin')

const pathWithoutOwn = (path = '') =>
  path
    .split(delimiter)
    .filter((folder) => resolve(folder) !== OWN_PROGRAMS)
    .join(delimiter)

/** The port of `--port`, or any free one. */
function portIn(text: string | boolean | undefined): number {
  const port = Number(text ?? 0)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw wrongUsage(`--port ${text} is no port.`)
}

/** `postern run -- <command>`: runs a program whose calls of the real hosts lead to Postern. */
export const runRun: RunCommand = async ({ options, positionals }) => {
  const [program, ...words] = positionals
  if (program === undefined) throw wrongUsage('Name the program to run: postern run -- node bot.js')
  const port = portIn(options.port)
  const named = options.url as string | undefined
  const isNamed = (named ?? process.env.POSTERN_URL) !== undefined
  const { url, operatorUrl, running } = placeOf({ url: named }, process.env)
  const wanted = { url, operatorUrl, operatorToken: running?.operator_token, isNamed, fresh: options.fresh === true }
  const keepLinks = options['keep-links'] === true
  let postern: LedTo | undefined
  try {
    postern = await posternFor(wanted)
    const environment = { ...process.env, PATH: pathWithoutOwn(process.env.PATH), ...variablesOf(postern) }
    return await runTakenOver({ postern, command: [program, ...words], environment, folder: '.postern', keepLinks, port })
  } catch (error) {
    if (error instanceof Failure) throw error
    if ((error as NodeJS.ErrnoException).syscall?.startsWith('spawn')) throw notStarted(program, error as NodeJS.ErrnoException)
    throw new Failure(`postern: ${(error as Error).message}`)
  } finally {
    await postern?.stop?.()
  }
}
