/** The seed of disorders that are given none. */
const VARIABLE = 'POSTERN_DISORDER_SEED'

const SEEDS = 2 ** 32

/** Test runners whose workers never learn that a test has failed, by the variable that each sets. */
const RUNNERS_THAT_HIDE_FAILURES = ['VITEST', 'JEST_WORKER_ID']

/** Seeds of this process, each with whether it was drawn. */
const seeds = new Map<number, boolean>()
let drawn: number | undefined

function seedOfEnvironment(): number | undefined {
  const text = process.env[VARIABLE] ?? ''
  if (text === '') return undefined
  const seed = Number(text)
  if (/^\d+$/.test(text) && seed < SEEDS) return seed
  throw new RangeError(`${VARIABLE} must be a whole number below ${SEEDS}, and not ${text}`)
}

/** One for the whole process, so that a rerun of one test alone draws what it drew among others. */
function seedOfProcess(): number {
  drawn ??= seedOfEnvironment() ?? Math.floor(Math.random() * SEEDS)
  return drawn
}

const lineOf = (seed: number, isDrawn: boolean) =>
  `postern: disorder seed ${seed}${isDrawn ? `; ${VARIABLE}=${seed} brings the same faults again` : ''}\n`

const tell = (seed: number, isDrawn: boolean) => void process.stderr.write(lineOf(seed, isDrawn))

function tellIfFailed(code: number) {
  if (code !== 0) for (const [seed, isDrawn] of seeds) tell(seed, isDrawn)
}

/** The seed of a disorder: the given one, or that of the process. */
export const seedOf = (given: number | undefined): number => given ?? seedOfProcess()

/**
 * Remembers the seed of a disorder that has begun. A process that fails, because a test failed or for any other reason, prints it at its end;
 * the worker of a runner that would not know prints it at once.
 */
export function tellSeed(seed: number, given: number | undefined): void {
  if (seeds.has(seed)) return
  seeds.set(seed, given === undefined)
  if (RUNNERS_THAT_HIDE_FAILURES.some((name) => process.env[name] !== undefined)) tell(seed, given === undefined)
  else if (seeds.size === 1) process.once('exit', tellIfFailed)
}
