import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { selfSigned } from './certificates.ts'
import { freePort } from './free-port.ts'
import { upstreams } from './handbook.ts'
import { agentTo, type TlsProxy } from './tls-proxy.ts'

/** Resolves once something speaks TLS on a port of loopback. */
async function untilTls(port: number): Promise<void> {
  for (;;) {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    const spoke = await once(socket, 'secureConnect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (spoke) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Starts the nginx of this machine with the sample of docs/operating.md, on a port of loopback and with a certificate of its own. */
export async function startNginx(sample: string): Promise<TlsProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-nginx-'))
  const certificate = await selfSigned({ hosts: Object.keys(upstreams(sample)) })
  const port = await freePort()
  await writeFile(join(folder, 'fullchain.pem'), certificate.cert)
  await writeFile(join(folder, 'privkey.pem'), certificate.key)
  const site = sample
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replace(/^ *listen \[::\].*\n/m, '')
    .replace(/\S+\/(fullchain|privkey)\.pem/g, `${folder}/$1.pem`)
  await writeFile(
    join(folder, 'nginx.conf'),
    `pid ${folder}/pid;\nerror_log ${folder}/error.log;\nevents {}\nhttp {\naccess_log off;\n${site}\n}\n`,
  )
  const child = spawn('nginx', ['-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'], {
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  await Promise.race([untilTls(port), ended.then(() => Promise.reject(new Error('nginx did not start')))])
  const agent = agentTo(port, certificate.cert)
  return {
    agent,
    port,
    certificate: certificate.cert,
    async [Symbol.asyncDispose]() {
      agent.destroy()
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}
