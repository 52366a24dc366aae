import { fork } from 'node:child_process'
import { once } from 'node:events'

/** What a party did in one sample. */
export interface Sample {
  count: number
  elapsedMs: number
  /** Processor time of the whole process, all threads. */
  processorMicros: number
}

/** A process of its own that answers questions one at a time. */
export interface Party<Question, Answer> extends AsyncDisposable {
  pid: number
  ask(question: Question): Promise<Answer>
}

/** The environment without settings of Postern, so that a run does not depend on the shell it is started in. */
export const plainEnvironment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('POSTERN_')))

/** Starts a file of parties/ with one argument; resolves once it serves. Rejects what is asked of it after it has ended. */
export async function startParty<Question, Answer>(file: string, argument: object): Promise<Party<Question, Answer>> {
  const child = fork(`${import.meta.dirname}/parties/${file}`, [JSON.stringify(argument)], { env: plainEnvironment() })
  const ended = once(child, 'exit')
  const broken = ended.then(() => Promise.reject(new Error(`${file} has ended by itself: see what it wrote above`)))
  broken.catch(() => {})
  const answer = async () => (await Promise.race([once(child, 'message'), broken]))[0]
  await answer()
  return {
    pid: child.pid!,
    ask(question) {
      child.send(question as object)
      return answer() as Promise<Answer>
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
