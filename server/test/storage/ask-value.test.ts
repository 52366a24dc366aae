import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Kysely, PostgresDialect, type PostgresQueryResult } from 'kysely'
import { createAskValue } from '../../src/storage/sql/ask-value.ts'
import type { Database } from '../../src/storage/sql/schema.ts'

/** Asks `one`, `two` and `three` of a database where a statement with `two` fails with this; answers the statements and what came back. */
async function askThree(error: Error) {
  const statements: string[] = []
  const query = async (statement: string): Promise<PostgresQueryResult<unknown>> => {
    statements.push(statement)
    if (statement.includes('two')) throw error
    return { command: 'SELECT', rowCount: 1, rows: [{ v0: statement }] }
  }
  const client = { query: query as never, release() {} }
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool: { options: {}, connect: async () => client, end: async () => {} } }),
  })
  const askValue = createAskValue(db)
  const results = await Promise.allSettled(['one', 'two', 'three'].map((asked) => askValue(asked)))
  return { statements: statements.length, results: results.map(({ status }) => status) }
}

const failure = (message: string, members: object) => Object.assign(new Error(message), members)

test('an error of one statement among several fails that question alone', async () => {
  const expected = { statements: 4, results: ['fulfilled', 'rejected', 'fulfilled'] }
  for (const code of ['42P01', '22003', 'XX001']) assert.deepEqual(await askThree(failure('of a statement', { code })), expected, code)
  assert.deepEqual(await askThree(failure('database disk image is malformed', { errcode: 11 })), expected)
})

test('after a timeout or a lost connection nothing is asked again', async () => {
  const expected = { statements: 1, results: ['rejected', 'rejected', 'rejected'] }
  const codes = ['57014', '55P03', '57P01', '08006', '53300', 'ECONNRESET', 'EPIPE']
  for (const code of codes) assert.deepEqual(await askThree(failure('of the connection', { code })), expected, code)
  assert.deepEqual(await askThree(new Error('Connection terminated unexpectedly')), expected)
})
