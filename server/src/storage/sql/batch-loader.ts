import DataLoader from 'dataloader'
import { endOfTurn } from '../../lib/clock.ts'

/** Answers questions with one statement; the answers are in the order of the questions. */
export type AnswerAll<Question, Answer> = (questions: readonly Question[]) => Promise<readonly (Answer | Error)[]>

export interface BatchOptions {
  /** The maximum of concurrent statements. With one, questions are answered in the order in which they came. */
  concurrency?: number
  /** The maximum of questions in one statement. */
  maxBatchSize?: number
}

/** SQLSTATEs of class 22: an invalid value, such as a text with a zero byte. */
const isBadValue = (error: unknown) => /^22...$/.test(String((error as { code?: unknown }).code))

/** Rejects only the question with an invalid value: a failed batch is split in halves and asked again. */
export function isolateBadValues<Question, Answer>(answerAll: AnswerAll<Question, Answer>): AnswerAll<Question, Answer> {
  const answer: AnswerAll<Question, Answer> = async (questions) => {
    try {
      return await answerAll(questions)
    } catch (error) {
      if (!isBadValue(error)) throw error
      if (questions.length === 1) return [error as Error]
      const middle = questions.length >> 1
      return [...(await answer(questions.slice(0, middle))), ...(await answer(questions.slice(middle)))]
    }
  }
  return answer
}

/**
 * Batches the questions of one turn of the event loop, and those that arrive while the maximum of statements is running. Nothing is cached,
 * and a question never joins a statement that was sent earlier, so it sees everything committed before it.
 */
export function createBatchLoader<Question extends {}, Answer>(
  answerAll: AnswerAll<Question, Answer>,
  { concurrency = 1, maxBatchSize = 1000 }: BatchOptions = {},
): (question: Question) => Promise<Answer> {
  const answer = isolateBadValues(answerAll)
  const waiting: (() => void)[] = []
  let underWay = 0

  const sendNext = () => {
    if (underWay >= concurrency) return
    const send = waiting.shift()
    if (!send) return
    underWay += 1
    send()
    sendNext()
  }

  const loader = new DataLoader<Question, Answer>(
    async (questions) => {
      try {
        return await answer(questions)
      } finally {
        underWay -= 1
        if (waiting.length > 0) void endOfTurn().then(sendNext)
      }
    },
    {
      cache: false,
      maxBatchSize,
      batchScheduleFn(send) {
        waiting.push(send)
        if (underWay < concurrency) void endOfTurn().then(sendNext)
      },
    },
  )
  return (question) => loader.load(question)
}
