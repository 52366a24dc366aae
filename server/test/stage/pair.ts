import { type Stage, type StageOptions, setStage } from './postern.ts'

/** Two servers on one PostgreSQL; on SQLite, which one process has for itself, the same one twice. */
export interface Pair extends AsyncDisposable {
  one: Stage
  other: Stage
  /** What either of them logged, and is meant. */
  lines(isMeant: (line: Stage['log'][number]) => boolean): Stage['log']
}

/** Sets up all servers that may share a database: whoever competes uses each in turn. */
export async function setPair(options: StageOptions): Promise<Pair> {
  await using begun = new AsyncDisposableStack()
  const one = begun.use(await setStage(options))
  const other = options.flavour === 'postgres' ? begun.use(await one.beside()) : one
  const owned = begun.move()
  return {
    one,
    other,
    lines: (isMeant) => [...new Set([one, other])].flatMap(({ log }) => log).filter(isMeant),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
