/** The argument that this worker was started with. */
export const readArgument = <Argument>(): Argument => JSON.parse(process.argv[2]!)

/**
 * Answers requests of the parent process until the parent is gone, for whatever reason; then runs `close` and exits.
 * Signals are ignored: Ctrl-C in a terminal goes to the whole process group, and this worker has to close first.
 */
export function serve<Request, Response>(handle: (request: Request) => Promise<Response>, close: () => unknown) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  const send = (message: object) => void (process.connected && process.send!(message))
  process.on('message', (request: Request) => {
    handle(request).then(
      (response) => send({ response }),
      (error) => send({ error: String(error?.message ?? error) }),
    )
  })
  const exit = async () => {
    await close()
    process.exit(0)
  }
  process.once('disconnect', exit)
  if (process.connected) send({ response: 'ready' })
  else void exit()
}
