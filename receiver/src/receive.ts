// npm run receive: a ready receiver for the demo, which prints what it is sent.
import { createServer } from 'node:http'
import { createReceiver } from './create-receiver.ts'
import { asLine, type Printed } from './print-as-line.ts'
import { inWords } from './print-in-words.ts'
import { type ReceiveSettings, readSettings, USAGE } from './receive-settings.ts'

const HOST = '127.0.0.1'

function print(happening: Printed): void {
  console.log(process.stdout.isTTY ? inWords(happening) : asLine(happening))
}

function receive({ port, secrets, secretsFrom }: ReceiveSettings): void {
  const receiver = createReceiver({ secrets, log: print, onEvent: (event) => print({ msg: 'event', event }) })
  const server = createServer(receiver.node)
  server.once('error', (error: NodeJS.ErrnoException) => {
    const taken = `Port ${port} is taken: stop what listens there, or choose another with --port.`
    refuse(error.code === 'EADDRINUSE' ? taken : error.message)
  })
  server.listen(port, HOST, () => {
    const address = server.address() as { port: number }
    print({ msg: 'listening', url: `http://${HOST}:${address.port}/webhook`, secretsFrom })
  })
  // What is cut off in flight was not acknowledged, so it is sent again.
  const close = () => server.close().closeAllConnections()
  process.once('SIGINT', close).once('SIGTERM', close)
}

function refuse(reason: string): void {
  console.error(reason)
  process.exitCode = 1
}

try {
  const settings = readSettings(process.argv.slice(2), process.env)
  if (settings === 'help') console.log(USAGE)
  else receive(settings)
} catch (error) {
  refuse(`${(error as Error).message}\n\n${USAGE}`)
}
