// Does Postern harm, again and again, under load, on both databases; `npm run soak -- --help` says how. The faults are those of stage/faults.
import { parseArgs } from 'node:util'
import { everyFlavour, type Flavour } from '../stage/database.ts'
import { type FaultFigures, runFaults } from '../stage/faults/fault-run.ts'
import { LONGEST_MS } from '../stage/faults/faults.ts'
import { type KillFigures, REPLAY_PAGE, runKills } from '../stage/kill-run.ts'
import { startPostgres } from '../stage/postgres-server.ts'

const REPLAYED = 20_000
/** Delivery goes on within a second of the line `ready`, on SQLite. */
const LONGEST_RESUME_MS = 1000

const USAGE = `npm run soak -- [--kills <number>] [--faults <number>] [--only sqlite|postgres] [--seed <number>]

Does Postern harm, again and again, under load. Exits with 1 when a guarantee is broken.

  --kills   how often a process is killed (50), with exact bounds for what may come twice
  --faults  how many faults of every kind then follow (100)
  --only    one database
  --seed    of the random choices; a run prints it`

function refuse(why: string): never {
  console.error(`${why}\n\n${USAGE}`)
  process.exit(2)
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        kills: { type: 'string', default: '50' },
        faults: { type: 'string', default: '100' },
        only: { type: 'string' },
        seed: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    return refuse((error as Error).message)
  }
}

const values = readOptions()
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}
const kills = Number(values.kills)
const faults = Number(values.faults)
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32))
const chosen = everyFlavour.filter((flavour) => values.only === undefined || values.only === flavour)
const isCount = (number: number) => Number.isSafeInteger(number) && number >= 0
if (!isCount(kills) || !isCount(faults) || !isCount(seed)) refuse('--kills, --faults and --seed are whole numbers from 0.')
if (kills + faults === 0) refuse('Without kills and faults nothing is checked.')
if (chosen.length === 0) refuse(`--only is ${everyFlavour.join(' or ')}.`)

interface Row {
  database: Flavour
  kills: number
  accepted: number
  delivered: number
  missing: number
  duplicates: number
  'allowed in all': number
  'most after a kill': string
  replays: number
  'replayed again': number
  'longest from ready to delivery, ms': number
}

function rowOf(flavour: Flavour, figures: KillFigures): Row {
  const most = figures.kills.toSorted((one, other) => other.duplicates - one.duplicates)[0]!
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
  return {
    database: flavour,
    kills: figures.kills.length,
    accepted: figures.accepted,
    delivered: figures.delivered,
    missing: figures.missing,
    duplicates: sum(figures.kills.map(({ duplicates }) => duplicates)),
    'allowed in all': sum(figures.kills.map(({ bound }) => bound)),
    'most after a kill': `${most.duplicates} of ${most.bound}`,
    replays: figures.replays.length,
    'replayed again': figures.replayDuplicates,
    'longest from ready to delivery, ms': Math.ceil(Math.max(...figures.kills.map(({ resumedMs }) => resumedMs))),
  }
}

function brokenGuarantees(flavour: Flavour, figures: KillFigures): string[] {
  const { missing, replays, replayDuplicates, statuses } = figures
  const broken = [
    [missing > 0, `${missing} accepted events are missing`],
    [figures.kills.some(({ duplicates, bound }) => duplicates > bound), 'more came twice than was unacknowledged'],
    [replays.some(({ reported }) => !reported) || statuses < replays.length, 'a replay was not reported'],
    [replays.some(({ delivered, failed }) => delivered + failed !== REPLAYED), 'a replay counted wrong'],
    [replayDuplicates > REPLAY_PAGE * kills, 'a replay repeated more than a page for a kill'],
    [flavour === 'sqlite' && figures.kills.some(({ resumedMs }) => resumedMs > LONGEST_RESUME_MS), 'delivery went on too late'],
  ] as const
  return broken.filter(([isBroken]) => isBroken).map(([, what]) => `${flavour}: ${what}`)
}

/** Of each kind: how many, and the longest until every process served again. */
const faultRows = (flavour: Flavour, { faults: suffered }: FaultFigures) =>
  [...Map.groupBy(suffered, ({ name }) => name)].map(([fault, each]) => ({
    database: flavour,
    fault,
    times: each.length,
    'longest until served, ms': Math.max(...each.map(({ servedMs }) => servedMs)),
  }))

const brokenByFaults = (flavour: Flavour, { faults: suffered, missing }: FaultFigures) => [
  ...(missing > 0 ? [`${flavour}: ${missing} accepted events are missing after faults`] : []),
  ...suffered
    .filter(({ servedMs }) => servedMs > LONGEST_MS)
    .map(({ name, servedMs }) => `${flavour}: ${name}: served after ${servedMs} ms`),
]

const postgres = await startPostgres()
process.env.POSTERN_TEST_POSTGRES = postgres.url
const rows: Row[] = []
const broken: string[] = []
try {
  console.log(`seed ${seed}`)
  for (const flavour of kills > 0 ? chosen : []) {
    const progress = (text: string) => console.log(`${flavour}: ${text}`)
    const figures = await runKills({ flavour, kills, replayed: REPLAYED, seed, progress })
    rows.push(rowOf(flavour, figures))
    broken.push(...brokenGuarantees(flavour, figures))
  }
  if (rows.length > 0) console.table(Object.fromEntries(rows.map(({ database, ...row }) => [database, row])))
  for (const flavour of faults > 0 ? chosen : []) {
    const progress = (text: string) => console.log(`${flavour}: ${text}`)
    const figures = await runFaults({ flavour, count: faults, seed, progress })
    console.table(faultRows(flavour, figures))
    console.log(`${flavour}: ${figures.accepted} accepted, ${figures.missing} missing, ${figures.again} came again`)
    broken.push(...brokenByFaults(flavour, figures))
  }
} finally {
  await postgres.stop()
}
for (const what of broken) console.error(what)
process.exit(broken.length > 0 ? 1 : 0)
