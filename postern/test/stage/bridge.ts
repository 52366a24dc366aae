import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Leads to a Postern as the network of a container does: its clients are not on Postern's machine. */
export async function startBridge(to: string) {
  const server = createServer((incoming, response) => {
    const { method, url, headers } = incoming
    const sent = request(new URL(url!, to), { method, headers: { ...headers, 'x-forwarded-for': '172.17.0.1' } }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    sent.on('error', () => response.destroy())
    incoming.pipe(sent)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
