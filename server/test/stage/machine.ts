import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { type Flavour, freshDatabase } from './database.ts'
import { freePort } from './free-port.ts'
import { blockIn, upstreams } from './handbook.ts'
import { type installedProxies, startInstalled } from './installed-proxies.ts'
import { type Shell, startShell } from './shell.ts'
import { type Service, startService } from './systemd-unit.ts'
import { startTlsProxy, type TlsProxy } from './tls-proxy.ts'

const REPOSITORY = resolve(import.meta.dirname, '../../..')

const SQLITE = `#!/bin/sh
exec "${process.execPath}" --no-warnings -e 'const db = new (require("node:sqlite").DatabaseSync)(process.argv[1]); db.exec(process.argv[2]); db.close()' "$@"
`

/** The ports of docs/proxy.md: of both processes, and of the proxy for operators. */
const PORTS = ['4000', '4001', '4002', '4003', '5000', '5001', '5002', '5003', '4080'] as const
const PORT = /\b(?:[45]00[0-3]|4080)\b/g

/** What a service of the page is told besides: its test does not wait for a drain. */
const AT_ONCE = { POSTERN_DRAIN: '0s' }

async function writeProgram(path: string, text: string) {
  await writeFile(path, text)
  await chmod(path, 0o755)
}

/** A machine whose folders are all in one, with free ports for those of docs/proxy.md. */
export interface Machine extends AsyncDisposable {
  root: string
  /** Text of the page, with the folders, ports and database of this machine. */
  here(text: string): string
  /** Pastes commands into the machine's shell; answers what they printed. What they tell systemd to start is started afterwards. */
  paste(commands: string): Promise<string>
  /** Once they are started. */
  service(): Service
  /** The second process, where the page has it. */
  second(): Service
  proxy(): TlsProxy
}

/** A proxy of our own that does what the nginx sample says. */
const startOurs = (sample: string) => {
  const leads = upstreams(sample)
  return startTlsProxy(Object.keys(leads), leads)
}

/** Sets up a machine on which nothing is done yet; its proxy is one of this machine's own where that is asked for. */
export async function setMachine(flavour: Flavour, installed?: keyof typeof installedProxies): Promise<Machine> {
  await using begun = new AsyncDisposableStack()
  const database = begun.use(await freshDatabase(flavour))
  const root = await mkdtemp(join(tmpdir(), 'postern-machine-'))
  begun.defer(() => rm(root, { recursive: true, force: true }))
  const ports = new Map<string, string>()
  for (const port of PORTS) ports.set(port, String(await freePort()))
  for (const folder of ['bin', 'fallback', 'etc/systemd/system', 'var/lib']) await mkdir(join(root, folder), { recursive: true })
  await writeProgram(join(root, 'bin/systemctl'), `#!/bin/sh\necho "$@" >> "${root}/systemctl.log"\n`)
  await writeProgram(join(root, 'fallback/sqlite3'), SQLITE)
  const path = [join(root, 'bin'), process.env.PATH, join(root, 'fallback')].join(delimiter)
  const shell: Shell = begun.use(startShell({ PATH: path, HOME: root, CURL_HOME: root }, root))

  const here = (text: string) =>
    text
      .replaceAll(/(?<![\w.])\/(etc|var\/lib)\//g, `${root}/$1/`)
      .replaceAll('/opt/postern/current', REPOSITORY)
      .replaceAll(PORT, (port) => ports.get(port)!)
      .replaceAll(/postgres:\/\/\S+@db\.example\.com[^']*/g, database.url)

  const owned = begun.move()
  let started: { service: Service; proxy: TlsProxy } | undefined
  let second: Service | undefined
  const start = async () => {
    const [general, ads, sandbox] = PORTS.map((port) => ports.get(port)!)
    const service = owned.use(
      await startService(root, 'postern', {
        POSTERN_PORT: general!,
        POSTERN_ADS_PORT: ads!,
        POSTERN_ADS_SANDBOX_PORT: sandbox!,
        ...AT_ONCE,
      }),
    )
    const sample = here(blockIn('nginx'))
    const proxy = owned.use(await (installed ? startInstalled(installed, here) : startOurs(sample)))
    await writeFile(join(root, 'proxy.pem'), proxy.certificate)
    const connect = Object.keys(upstreams(sample)).map((name) => `connect-to = "${name}:443:127.0.0.1:${proxy.port}"\n`)
    await writeFile(join(root, '.curlrc'), `cacert = "${join(root, 'proxy.pem')}"\n${connect.join('')}`)
    started = { service, proxy }
  }

  const mustBeStarted = () => {
    if (!started) throw new Error('nothing was started yet')
    return started
  }
  return {
    root,
    here,
    async paste(commands) {
      const printed = await shell.paste(here(commands))
      const asked = await readFile(join(root, 'systemctl.log'), 'utf8').catch(() => '')
      if (!started && asked.includes('enable --now postern\n')) await start()
      if (!second && asked.includes('enable --now postern-second\n'))
        second = owned.use(await startService(root, 'postern-second', AT_ONCE))
      return printed
    },
    service: () => mustBeStarted().service,
    second: () => second!,
    proxy: () => mustBeStarted().proxy,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
