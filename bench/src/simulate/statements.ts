import pg from 'pg'

/** What is asked of the databases and not answered yet. While there is any, the hand-moved clock stands still. */
export interface Statements {
  /** Also counts what this promise stands for. */
  during<T>(work: Promise<T>): Promise<T>
  /** Resolves once nothing is asked any more, and what was answered has been handled. */
  answered(): Promise<void>
}

/** What a connection calls to ask for one answer: the end of it is `ReadyForQuery`, or the end of the connection. */
interface Asking {
  connect(...parameters: unknown[]): unknown
  query(...parameters: unknown[]): unknown
  sync(...parameters: unknown[]): unknown
  on(event: string, heard: () => void): unknown
}

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

/** So many turns of the event loop in which nothing is asked: what an answer leads to may be asked at the end of a turn. */
const QUIET_TURNS = 4

/** Counts from now on what is asked over every connection of this process to a PostgreSQL. */
export function countStatements(): Statements {
  let open = 0
  let idle: (() => void) | undefined
  const asked = new WeakMap<Asking, number>()

  const change = (by: number) => {
    open += by
    if (open === 0) idle?.()
  }

  const ask = (connection: Asking) => {
    asked.set(connection, (asked.get(connection) ?? 0) + 1)
    change(1)
  }

  const answer = (connection: Asking, all: boolean) => {
    const count = asked.get(connection) ?? 0
    const by = all ? count : Math.min(1, count)
    asked.set(connection, count - by)
    change(-by)
  }

  const prototype = (pg as unknown as { Connection: { prototype: Asking } }).Connection.prototype
  for (const name of ['connect', 'query', 'sync'] as const) {
    const original = prototype[name]
    prototype[name] = function (this: Asking, ...parameters: unknown[]) {
      if (name === 'connect') {
        this.on('readyForQuery', () => answer(this, false))
        this.on('end', () => answer(this, true))
      }
      ask(this)
      return original.apply(this, parameters)
    }
  }

  return {
    during(work) {
      change(1)
      return work.finally(() => change(-1))
    },
    async answered() {
      for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
        if (open > 0) {
          await new Promise<void>((resolve) => (idle = resolve))
          quiet = 0
        }
        await turn()
      }
    },
  }
}
