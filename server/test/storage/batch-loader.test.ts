import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { endOfTurn } from '../../src/lib/clock.ts'
import { type BatchOptions, createBatchLoader } from '../../src/storage/sql/batch-loader.ts'

interface Statement {
  questions: readonly string[]
  answer(): void
  fail(error: unknown): void
}

/** A loader whose statements are answered by hand. The answer to a question is the question in upper case. */
function opened(options?: BatchOptions) {
  const statements: Statement[] = []
  const ask = createBatchLoader<string, string>((questions) => {
    const answers = Promise.withResolvers<string[]>()
    const answer = () => answers.resolve(questions.map((question) => question.toUpperCase()))
    statements.push({ questions, answer, fail: answers.reject })
    return answers.promise
  }, options)
  return { ask, statements, sent: () => statements.map(({ questions }) => questions) }
}

const badValue = () => Object.assign(new Error('invalid byte sequence'), { code: '22021' })

suite('a batch loader', () => {
  test('sends the questions of one turn of the event loop in one statement', async () => {
    const { ask, statements, sent } = opened()
    const answers = Promise.all([ask('a'), Promise.resolve().then(() => ask('b')), ask('a')])
    await endOfTurn()
    assert.deepEqual(sent(), [['a', 'a', 'b']])
    statements[0]!.answer()
    assert.deepEqual(await answers, ['A', 'B', 'A'])
  })

  test('asks again what is asked after its statement was sent', async () => {
    const { ask, statements, sent } = opened({ concurrency: 2 })
    const first = ask('a')
    await endOfTurn()
    const second = ask('a')
    await endOfTurn()
    assert.deepEqual(sent(), [['a'], ['a']])
    statements[1]!.answer()
    assert.equal(await second, 'A')
    statements[0]!.answer()
    assert.equal(await first, 'A')
  })

  test('asks again what was asked and answered, because it does not cache', async () => {
    const { ask, statements, sent } = opened()
    for (const at of [0, 1]) {
      const answer = ask('a')
      await endOfTurn()
      statements[at]!.answer()
      assert.equal(await answer, 'A')
    }
    assert.deepEqual(sent(), [['a'], ['a']])
  })

  test('has at most its maximum of concurrent statements; later questions go into the next one', async () => {
    const { ask, statements, sent } = opened({ concurrency: 2 })
    const answers: Promise<string>[] = []
    for (const question of ['a', 'b', 'c', 'd', 'e']) {
      answers.push(ask(question))
      await endOfTurn()
    }
    assert.deepEqual(sent(), [['a'], ['b']])
    statements[0]!.answer()
    await answers[0]
    await endOfTurn()
    await endOfTurn()
    assert.deepEqual(sent(), [['a'], ['b'], ['c', 'd', 'e']])
    for (const { answer } of statements) answer()
    assert.deepEqual(await Promise.all(answers), ['A', 'B', 'C', 'D', 'E'])
  })

  test('sends at most the maximum of questions in one statement, in the order in which they came', async () => {
    const sent: (readonly number[])[] = []
    const ask = createBatchLoader<number, number>(
      async (questions) => {
        sent.push(questions)
        return questions
      },
      { maxBatchSize: 3 },
    )
    assert.deepEqual(await Promise.all([1, 2, 3, 4, 5, 6, 7].map(ask)), [1, 2, 3, 4, 5, 6, 7])
    assert.deepEqual(sent, [[1, 2, 3], [4, 5, 6], [7]])
  })

  test('rejects all questions of a statement that failed, and goes on with the next', async () => {
    const { ask, statements, sent } = opened()
    const answers = Promise.allSettled([ask('a'), ask('b')])
    await endOfTurn()
    const failure = new Error('the database is away')
    statements[0]!.fail(failure)
    assert.deepEqual(await answers, [
      { status: 'rejected', reason: failure },
      { status: 'rejected', reason: failure },
    ])
    const next = ask('c')
    await endOfTurn()
    await endOfTurn()
    statements[1]!.answer()
    assert.equal(await next, 'C')
    assert.deepEqual(sent(), [['a', 'b'], ['c']])
  })

  test('rejects only the question with a value that the database rejects', async () => {
    const refusing = async (questions: readonly string[]) => {
      if (questions.includes('bad')) throw badValue()
      return questions.map((question) => question.toUpperCase())
    }
    const ask = createBatchLoader<string, string>(refusing)
    const settled = await Promise.allSettled(['a', 'b', 'bad', 'c', 'd', 'bad', 'e'].map(ask))
    assert.deepEqual(
      settled.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.code)),
      ['A', 'B', '22021', 'C', 'D', '22021', 'E'],
    )
  })

  test('rejects only the question without a valid answer, and answers the others', async () => {
    const ask = createBatchLoader<string, string>(async (questions) =>
      questions.map((question) => (question === 'sealed' ? new Error('cannot be opened') : question)),
    )
    const [first, second, third] = await Promise.allSettled(['a', 'sealed', 'b'].map(ask))
    assert.deepEqual(
      [first, third],
      [
        { status: 'fulfilled', value: 'a' },
        { status: 'fulfilled', value: 'b' },
      ],
    )
    assert.match(String((second as PromiseRejectedResult).reason), /cannot be opened/)
  })
})
