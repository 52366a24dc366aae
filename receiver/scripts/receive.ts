// npm run receive: a ready-made receiver for development that prints the events it gets.
import { createServer } from 'node:http'
import { createReceiver } from '../src/node/create-receiver.ts'
import { formatJson, formatText, type Printed, readExactly } from './print.ts'
import { type ReceiveOptions, readOptions, USAGE } from './receive-options.ts'

const HOST = '127.0.0.1'

function print(printed: Printed): void {
  console.log(process.stdout.isTTY ? formatText(printed) : formatJson(printed))
}

function receive({ port, secrets, secretSource }: ReceiveOptions): void {
  const receiver = createReceiver({ secrets, log: print, onEvent: (_, body) => print({ msg: 'event', event: readExactly(body) }) })
  const server = createServer(receiver.node)
  server.once('error', (error: NodeJS.ErrnoException) => {
    const inUse = `Port ${port} is already in use: stop the other program, or choose another port with --port.`
    fail(error.code === 'EADDRINUSE' ? inUse : error.message)
  })
  server.listen(port, HOST, () => {
    const address = server.address() as { port: number }
    print({ msg: 'listening', url: `http://${HOST}:${address.port}/webhook`, secretSource })
  })
  // Requests that are aborted here were not acknowledged, so the sender retries them.
  const close = () => server.close().closeAllConnections()
  process.once('SIGINT', close).once('SIGTERM', close)
}

function fail(reason: string): void {
  console.error(reason)
  process.exitCode = 1
}

try {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options === 'help') console.log(USAGE)
  else receive(options)
} catch (error) {
  fail(`${(error as Error).message}\n\n${USAGE}`)
}
