/** The argument that a party was started with. */
export const argument = <Argument>(): Argument => JSON.parse(process.argv[2]!)

/** Answers the process that started this one until that goes away; then `close` and the end. */
export function serve<Question, Answer>(answer: (question: Question) => Promise<Answer>, close: () => unknown) {
  process.on('message', async (question: Question) => process.send!(await answer(question)))
  process.once('disconnect', async () => {
    await close()
    process.exit(0)
  })
  process.send!({ ready: true })
}
