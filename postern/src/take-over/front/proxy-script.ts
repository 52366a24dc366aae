import type { IncomingMessage, ServerResponse } from 'node:http'

/** Answers the script that leads a browser's calls of the hosts to the front, and all others where they go without it. */
export function proxyScript(request: IncomingMessage, response: ServerResponse, hosts: readonly string[]): void {
  const proxy = `PROXY 127.0.0.1:${request.socket.localPort}`
  const body = `var hosts = ${JSON.stringify(hosts)}\nfunction FindProxyForURL(url, host) {\n  return hosts.indexOf(host) < 0 ? 'DIRECT' : '${proxy}'\n}\n`
  response.writeHead(200, { 'content-type': 'application/x-ns-proxy-autoconfig', 'cache-control': 'no-store' }).end(body)
}
