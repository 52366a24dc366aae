/** The argument that a party was started with. */
export const argument = <Argument>(): Argument => JSON.parse(process.argv[2]!)

/**
 * Answers the process that started this one until that goes away, however it goes; then `close` and the end. A signal to the
 * whole group, as a terminal sends it, ends the run and not the party: it has to close first.
 */
export function serve<Question, Answer>(answer: (question: Question) => Promise<Answer>, close: () => unknown) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  const reply = (message: object) => void (process.connected && process.send!(message))
  process.on('message', (question: Question) => {
    answer(question).then(
      (answered) => reply({ answered }),
      (error) => reply({ failed: String(error?.message ?? error) }),
    )
  })
  const end = async () => {
    await close()
    process.exit(0)
  }
  process.once('disconnect', end)
  if (process.connected) reply({ answered: 'serving' })
  else void end()
}
