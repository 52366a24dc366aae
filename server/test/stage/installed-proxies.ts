import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { selfSigned } from './certificates.ts'
import { freePort } from './free-port.ts'
import { blockIn, upstreams } from './handbook.ts'
import { pause } from './pause.ts'
import { agentTo, type TlsProxy } from './tls-proxy.ts'

/** What a program is started with: its files are in `folder`, with a certificate and its key, and it serves a port of loopback. */
interface Place {
  folder: string
  port: number
}

/** How a proxy of this machine serves the sample of docs/proxy.md in its language. */
interface Program {
  language: string
  /** The name of its configuration, and what that holds. */
  file: string
  configure(sample: string, place: Place): string
  parameters(configuration: string, place: Place): string[]
}

const nginx: Program = {
  language: 'nginx',
  file: 'nginx.conf',
  configure(sample, { folder, port }) {
    const site = sample
      .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
      .replace(/^ *listen \[::\].*\n/m, '')
      .replace(/\S+\/(fullchain|privkey)\.pem/g, `${folder}/$1.pem`)
    return `pid ${folder}/pid;\nerror_log ${folder}/error.log;\nevents {}\nhttp {\naccess_log off;\n${site}\n}\n`
  },
  parameters: (configuration, { folder }) => ['-e', join(folder, 'error.log'), '-c', configuration, '-g', 'daemon off;'],
}

const caddy: Program = {
  language: 'caddyfile',
  file: 'Caddyfile',
  configure: (sample, { folder, port }) =>
    `{\n\tadmin off\n\tauto_https disable_redirects\n\thttps_port ${port}\n}\n${sample.replace(/^\S+\.example\.com \{$/gm, (site) => `${site}\n\tbind 127.0.0.1\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`)}`,
  parameters: (configuration) => ['run', '--adapter', 'caddyfile', '--config', configuration],
}

/** The proxies that docs/proxy.md has a sample for. */
export const installedProxies = { nginx, caddy }

/** Resolves once a program speaks TLS on a port of loopback under a name; rejects when it has ended instead. */
async function untilTls(child: ChildProcess, port: number, servername: string): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect({ port, host: '127.0.0.1', servername, rejectUnauthorized: false })
    const spoke = await once(socket, 'secureConnect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (spoke) return
    await pause()
  }
  throw new Error(`${child.spawnfile} did not start`)
}

/** Starts a proxy that is installed on this machine with its sample, on a port of loopback and with a certificate of its own. */
export async function startInstalled(name: keyof typeof installedProxies, here: (text: string) => string): Promise<TlsProxy> {
  const { language, file, configure, parameters } = installedProxies[name]
  const hosts = Object.keys(upstreams(blockIn('nginx')))
  const certificate = await selfSigned({ hosts })
  const place = { folder: await mkdtemp(join(tmpdir(), `postern-${name}-`)), port: await freePort() }
  const write = (to: string, text: string) => writeFile(join(place.folder, to), text)
  await write('fullchain.pem', certificate.cert)
  await write('privkey.pem', certificate.key)
  await write(file, configure(here(blockIn(language)), place))
  const child = spawn(name, parameters(join(place.folder, file), place), { stdio: 'ignore', env: { ...process.env, HOME: place.folder } })
  const ended = once(child, 'exit')
  await untilTls(child, place.port, hosts[0]!)
  const agent = agentTo(place.port, certificate.cert)
  return {
    agent,
    port: place.port,
    certificate: certificate.cert,
    async [Symbol.asyncDispose]() {
      agent.destroy()
      child.kill('SIGTERM')
      await ended
      await rm(place.folder, { recursive: true, force: true })
    },
  }
}
