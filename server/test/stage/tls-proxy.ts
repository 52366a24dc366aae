import { once } from 'node:events'
import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent, createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:tls'
import { selfSigned } from './certificates.ts'

/** What stands before a server in production: it ends TLS, and says so in forwarded headers. */
export interface TlsProxy extends AsyncDisposable {
  /** Leads clients that know a host by its name alone to the proxy, and trusts its certificate. */
  agent: Agent
  port: number
  /** The certificate that clients must trust, PEM. */
  certificate: string
}

/** Leads clients to a port of loopback under whichever name they know, and trusts a certificate there. */
export function agentTo(port: number, ca: string): Agent {
  const agent = new Agent()
  agent.createConnection = ({ host }) => connect({ host: '127.0.0.1', port, servername: host!, ca })
  return agent
}

/** Starts a proxy on loopback that is each of `hosts`, for the server that listens on a port, or on one for each host. */
export async function startTlsProxy(hosts: readonly string[], serverPort: number | Readonly<Record<string, number>>): Promise<TlsProxy> {
  const certificate = await selfSigned({ hosts })

  const pass = (request: IncomingMessage, response: ServerResponse) => {
    const headers = {
      ...request.headers,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': request.headers.host,
      'x-forwarded-for': request.socket.remoteAddress,
    }
    const { method, url: path } = request
    const port = typeof serverPort === 'number' ? serverPort : serverPort[headers.host ?? '']
    const onward = forward({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      // Before there is a body: that of a stream may come much later.
      response.flushHeaders()
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    }).on('error', () => response.destroy())
    // A client that leaves ends an answer without end.
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  }

  const server = createServer(certificate, pass).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const agent = agentTo(port, certificate.cert)
  return {
    agent,
    port,
    certificate: certificate.cert,
    async [Symbol.asyncDispose]() {
      agent.destroy()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
