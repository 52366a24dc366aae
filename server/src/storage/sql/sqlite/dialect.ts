import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
} from 'kysely'
import { nameDamage } from '../../files/damage.ts'

/** The parameters of a statement. SQLite has no booleans. */
export const bindable = (parameters: readonly unknown[]): SQLInputValue[] =>
  parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value)) as SQLInputValue[]

/** The maximum of cached prepared statements; the oldest is evicted first. */
const STATEMENT_LIMIT = 200

const inRange = (row: object) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]))

/** Reads rows with a number beyond 2^53. Such a number is damage, because longs are read as text; the other rows must still be readable. */
function readLarge(statement: StatementSync, values: SQLInputValue[]) {
  statement.setReadBigInts(true)
  try {
    return statement.all(...values).map(inRange)
  } finally {
    statement.setReadBigInts(false)
  }
}

/** A read-only statement can be run twice: first without bigints, which is three times as fast, and again if a number is out of range. */
function readRows(statement: StatementSync, values: SQLInputValue[], onlyReads: boolean) {
  if (!onlyReads) return readLarge(statement, values)
  try {
    return statement.all(...values)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_OUT_OF_RANGE') throw error
    return readLarge(statement, values)
  }
}

/** Runs a function. Errors of a damaged file name the file. */
function naming<T>(path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw nameDamage(error, 'database', path)
  }
}

/** An open connection to the file at `path`, and what follows each of its commits. */
interface SqliteConnection {
  file: DatabaseSync
  path: string
  committed?: () => void
}

function prepare({ file, path, committed }: SqliteConnection, text: string): SqliteStatement {
  const statement = naming(path, () => file.prepare(text))
  const onlyReads = /^\s*(select|with)\b/i.test(text)
  const running = <T>(run: () => T): T => {
    const result = naming(path, run)
    if (!onlyReads && !file.isTransaction) committed?.()
    return result
  }
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => running(() => readRows(statement, bindable(parameters), onlyReads)),
    run: (parameters) => running(() => statement.run(...bindable(parameters))),
    iterate: (parameters) => statement.iterate(...bindable(parameters)),
  }
}

/** Kysely's database interface over `node:sqlite`. */
function adapt(connection: SqliteConnection): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>()
  return {
    close: () => connection.file.close(),
    prepare(text) {
      const known = statements.get(text)
      if (known) return known
      if (statements.size >= STATEMENT_LIMIT) statements.delete(statements.keys().next().value!)
      const statement = prepare(connection, text)
      statements.set(text, statement)
      return statement
    },
  }
}

/** Takes the write lock at the beginning of a transaction, so that what it reads is still valid when it writes. */
class WritingDriver extends SqliteDriver {
  readonly #file: DatabaseSync

  constructor(connection: SqliteConnection) {
    super({ database: adapt(connection) })
    this.#file = connection.file
  }

  override async beginTransaction(connection: DatabaseConnection) {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  /** If the disk is full, SQLite has already rolled back. */
  override async rollbackTransaction(connection: DatabaseConnection) {
    if (this.#file.isTransaction) await super.rollbackTransaction(connection)
  }
}

/** Lets migrations run in one transaction, whose lock also excludes other processes that migrate the same file. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }
}

/** A Kysely dialect for SQLite on an open connection, which it closes. */
export const createSqliteDialect = (connection: SqliteConnection): Dialect => ({
  createDriver: () => new WritingDriver(connection),
  createAdapter: () => new TransactionalAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createIntrospector: (db) => new SqliteIntrospector(db),
})
