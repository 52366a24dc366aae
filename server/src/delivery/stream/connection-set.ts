import type { Connection } from './connection.ts'

/** The connections of this process, whether they are open or ending. */
export function createConnectionSet() {
  const all = new Set<Connection>()
  let emptied = () => {}
  return {
    all,
    remove(connection: Connection) {
      all.delete(connection)
      if (all.size === 0) emptied()
    },
    empty: (): Promise<void> =>
      all.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            emptied = resolve
          }),
  }
}
