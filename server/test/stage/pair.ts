import { demoApp, type Stage, type StageOptions, setStage } from './postern.ts'
import { startReceiver } from './receiver.ts'

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
  const areTwo = options.flavour === 'postgres'
  const one = begun.use(await setStage({ ...options, hasNeighbour: areTwo }))
  const other = areTwo ? begun.use(await one.beside()) : one
  const owned = begun.move()
  return {
    one,
    other,
    lines: (isMeant) => [...new Set([one, other])].flatMap(({ log }) => log).filter(isMeant),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** A pair of which one has published an event and the other two, all delivered. */
export async function setPublishingPair(options: StageOptions): Promise<Pair> {
  await using begun = new AsyncDisposableStack()
  const pair = begun.use(await setPair(options))
  const receiver = begun.use(await startReceiver([demoApp.consumer_secret]))
  await pair.one.connect(receiver)
  await pair.one.publish({ n: 1 })
  await pair.other.publish({ n: 2 }, { n: 3 })
  await pair.one.deliveriesWhen('state=delivered', (found) => found.length === 3)
  const owned = begun.move()
  return { ...pair, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
