import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'

/** What a party did in one sample. */
export interface Sample {
  count: number
  elapsedMs: number
  /** Processor time of the whole process, all threads. */
  processorMicros: number
}

/** A process of its own that answers questions, one after the other. */
export interface Party<Question, Answer> extends AsyncDisposable {
  pid: number
  /** Rejects when the party fails, ends, or does not answer within two minutes. */
  ask(question: Question): Promise<Answer>
}

/** Anything that can be measured for a while. */
export type Sampled = Party<{ ms: number }, Sample>

const MOST_MS = 120_000

/** The environment without settings of Postern, so that a run does not depend on the shell it is started in. */
export const plainEnvironment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('POSTERN_')))

/** Starts a file of parties/ with one argument; resolves once it serves. It ends when it is disposed of, or when this process has ended. */
export async function startParty<Question, Answer>(file: string, argument: object): Promise<Party<Question, Answer>> {
  const child = fork(`${import.meta.dirname}/parties/${file}`, [JSON.stringify(argument)], { env: plainEnvironment() })
  const ended = once(child, 'exit')
  const broken = ended.then(() => Promise.reject(new Error(`${file} has ended by itself: see what it wrote above`)))
  broken.catch(() => {})

  const late = async (signal: AbortSignal): Promise<never> => {
    await setTimeout(MOST_MS, undefined, { signal })
    throw new Error(`${file} has not answered within ${MOST_MS / 1000} s`)
  }

  const answer = async (): Promise<Answer> => {
    const done = new AbortController()
    const tooLate = late(done.signal)
    tooLate.catch(() => {})
    try {
      const [message] = await Promise.race([once(child, 'message', { signal: done.signal }), broken, tooLate])
      if (message.failed !== undefined) throw new Error(`${file}: ${message.failed}`)
      return message.answered
    } finally {
      done.abort()
    }
  }

  const stop = async () => {
    if (child.connected) child.disconnect()
    await ended
  }

  await answer().catch(async (error) => {
    await stop()
    throw error
  })
  let last: Promise<unknown> = Promise.resolve()
  return {
    pid: child.pid!,
    ask(question) {
      const asked = last.then(() => {
        if (child.connected) child.send(question as object)
        return answer()
      })
      last = asked.catch(() => {})
      return asked
    },
    [Symbol.asyncDispose]: stop,
  }
}
