import { createHook } from 'node:async_hooks'

interface Connect {
  address?: string
  port?: number
}

/** Every TCP connection that this process tries to open, whoever opens it: `address:port`, from now until it is disposed of. */
export function watchTcpConnects(): Disposable & { tried(): string[] } {
  const connects: Connect[] = []
  const hook = createHook({
    trackPromises: false,
    init(_id, type, _trigger, resource) {
      if (type === 'TCPCONNECTWRAP') connects.push(resource as Connect)
    },
  }).enable()
  return {
    tried: () => connects.map(({ address, port }) => `${address}:${port}`),
    [Symbol.dispose]: () => void hook.disable(),
  }
}
