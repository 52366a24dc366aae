import { request } from 'node:http'
import { type LoopbackServer, serveOnLoopback } from '../../../scripts/serve-on-loopback.ts'

/** Leads to a Postern as the network of a container does: its clients are not on Postern's machine. */
export const startBridge = (to: string): Promise<LoopbackServer> =>
  serveOnLoopback((incoming, response) => {
    const { method, url, headers } = incoming
    const sent = request(new URL(url!, to), { method, headers: { ...headers, 'x-forwarded-for': '172.17.0.1' } }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    sent.on('error', () => response.destroy())
    incoming.pipe(sent)
  })
