import { createHook } from 'node:async_hooks'
import { poolerHosts } from './session-pooler.ts'

interface Connect {
  address?: string
  port?: number
}

/** Servers that former files of this process have left for the next go on with what they do at this database. */
const ofIdleServers = ({ address, port }: Connect) => {
  const { POSTERN_TEST_POSTGRES: url } = process.env
  const host = `${address}:${port}`
  return poolerHosts.has(host) || (url !== undefined && new URL(url).host === host)
}

/**
 * Every TCP connection that this process tries to open, whoever opens it: `address:port`, from now until it is disposed of. Those to the
 * PostgreSQL of the tests are left out.
 */
export function watchTcpConnects(): Disposable & { tried(): string[] } {
  const connects: Connect[] = []
  const hook = createHook({
    trackPromises: false,
    init(_id, type, _trigger, resource) {
      if (type === 'TCPCONNECTWRAP') connects.push(resource as Connect)
    },
  }).enable()
  return {
    tried: () => connects.filter((one) => !ofIdleServers(one)).map(({ address, port }) => `${address}:${port}`),
    [Symbol.dispose]: () => void hook.disable(),
  }
}
