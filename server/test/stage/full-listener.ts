import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'

/** A thread that listens, and accepts nothing until it is told. Connections beyond two are not acknowledged by the system then. */
const THREAD = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { host, gate } = workerData
  const server = require('node:http').createServer((_request, response) => response.end())
  server.listen({ host, port: 0, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    Atomics.wait(gate, 0, 0)
  })
`

/** A server whose queue of connections is full until `accept` is called. */
export async function startFullListener(host: string) {
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const thread = new Worker(THREAD, { eval: true, workerData: { host, gate } })
  const [port] = (await once(thread, 'message')) as [number]
  const waiting: Socket[] = [connect(port, host), connect(port, host)]
  await Promise.all(waiting.map((socket) => once(socket, 'connect')))
  return {
    port,
    accept() {
      Atomics.store(gate, 0, 1)
      Atomics.notify(gate, 0)
    },
    async [Symbol.asyncDispose]() {
      for (const socket of waiting) socket.destroy()
      this.accept()
      await thread.terminate()
    },
  }
}
