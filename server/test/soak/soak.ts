// Does Postern harm, again and again, under load, on both databases; `npm run soak -- --help` says how. The faults are those of stage/faults.
import { parseArgs } from 'node:util'
import { everyFlavour, type Flavour } from '../stage/database.ts'
import { type FaultFigures, runFaults, runFleetFaults } from '../stage/faults/fault-run.ts'
import { LONGEST_MS } from '../stage/faults/faults.ts'
import { type RestartFigures, runRestarts } from '../stage/faults/restart-run.ts'
import { type KillFigures, REPLAY_PAGE, runKills } from '../stage/kill-run.ts'
import { startPostgres } from '../stage/postgres-server.ts'
import { runCopy } from './run-copy.ts'

const REPLAYED = 20_000
/** Delivery goes on within a second of the line `ready`, on SQLite. */
const LONGEST_RESUME_MS = 1000

/** Of one process, after a fault. */
const MOST_MEMORY_BYTES = 300e6
const AWAY_MS = 600_000
const QUICK_AWAY_MS = 15_000

const USAGE = `npm run soak -- [--kills <number>] [--faults <number>] [--only sqlite|postgres] [--seed <number>]
npm run soak -- [--logs <number>] [--roles] [--faults <number>] [--quick] [--seed <number>]
npm run soak -- --restarts <number>

Does Postern harm, again and again, under load. Exits with 1 when a guarantee is broken. It runs from a copy of the sources, and leaves no
process and no file behind, also when it is ended early: each fault has its line once all serve again.

  --kills   how often a process is killed (50), with exact bounds for what may come twice
  --faults  how many faults of every kind then follow (100)
  --only    one database
  --seed    of the random choices; a run prints it

With --logs or --roles the faults are those of a fleet: two processes of each kind on PostgreSQL, whose connections are cut too.

  --logs    how many databases carry the event log (1 to 16), each on a server of its own beside that of the state
  --roles   each process has one role
  --quick   no log is gone for longer than 15 seconds

Every kind of fault comes once before any comes again, in an order of chance. A log is gone for ten minutes the first time, and then for ten
seconds: a hundred faults have ten such. They take half an hour on a machine that does nothing else.

With --restarts a PostgreSQL is restarted that often, a minute apart, under load. What takes long afterwards is printed, with plans and waits;
no guarantee is checked.`

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
        logs: { type: 'string' },
        roles: { type: 'boolean', default: false },
        restarts: { type: 'string' },
        quick: { type: 'boolean', default: false },
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
const logs = Number(values.logs ?? 0)
const restarts = Number(values.restarts ?? 0)
const isFleet = values.logs !== undefined || values.roles
const isCount = (number: number) => Number.isSafeInteger(number) && number >= 0
if (!isCount(kills) || !isCount(faults) || !isCount(seed)) refuse('--kills, --faults and --seed are whole numbers from 0.')
if (values.logs !== undefined && !(isCount(logs) && logs >= 1 && logs <= 16)) refuse('--logs is a whole number from 1 to 16.')
if (!isCount(restarts)) refuse('--restarts is a whole number from 0.')
if (isFleet ? faults === 0 : kills + faults === 0) refuse('Without kills and faults nothing is checked.')
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

/** Of each kind: how many, what they did at most, and the longest until every process served again. */
const faultRows = ({ faults: suffered }: FaultFigures) =>
  [...Map.groupBy(suffered, ({ name }) => name)].map(([fault, each]) => ({
    fault,
    times: each.length,
    lost: each.reduce((sum, { lost }) => sum + lost, 0),
    doubled: each.reduce((sum, { doubled }) => sum + doubled, 0),
    'in flight': each.reduce((sum, { allowed }) => sum + allowed, 0),
    'most doubled by one': Math.max(...each.map(({ doubled }) => doubled)),
    'longest until served, ms': Math.max(...each.map(({ servedMs }) => servedMs)),
  }))

const brokenByFaults = (what: string, { faults: suffered, missing }: FaultFigures) => [
  ...(missing > 0 ? [`${what}: ${missing} accepted events are missing after faults`] : []),
  ...suffered.filter(({ servedMs }) => servedMs > LONGEST_MS).map(({ name, servedMs }) => `${what}: ${name}: served after ${servedMs} ms`),
]

const brokenInFleet = (figures: FaultFigures) => [
  ...brokenByFaults('fleet', figures),
  ...figures.faults
    .filter(({ doubled, allowed }) => doubled > allowed)
    .map(({ name, doubled, allowed }) => `fleet: ${name}: ${doubled} came twice, and ${allowed} were in flight`),
  ...(figures.memoryBytes > MOST_MEMORY_BYTES ? [`fleet: a process had ${inMegabytes(figures.memoryBytes)}`] : []),
]

const inMegabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`

const broken: string[] = []

/** Prints a line, with the minutes since the start: a run that is ended early has these alone. */
const tell = (text: string) => console.log(`${(performance.now() / 60_000).toFixed(1)} min: ${text}`)

function show(what: string, figures: FaultFigures) {
  console.table(faultRows(figures))
  const { accepted, missing, again, memoryBytes } = figures
  console.log(`${what}: ${accepted} accepted, ${missing} missing, ${again} came again; at most ${inMegabytes(memoryBytes)} in a process`)
}

async function soakFleet() {
  const fleet = { logs, isApart: values.roles, awayMs: values.quick ? QUICK_AWAY_MS : AWAY_MS }
  const figures = await runFleetFaults({ fleet, count: faults, seed, progress: tell })
  show('fleet', figures)
  broken.push(...brokenInFleet(figures))
}

function showRestarts({ restarts: each, statements, waits, said }: RestartFigures) {
  for (const [number, { windows }] of each.entries()) {
    console.log(`after restart ${number + 1}`)
    console.table(windows)
  }
  for (const line of said) console.log(line)
  console.table(waits)
  for (const { ms, sinceMs, text } of statements) console.log(`${ms} ms, ${sinceMs} ms after a restart:\n${text}`)
}

async function soakEach() {
  const rows: Row[] = []
  for (const flavour of kills > 0 ? chosen : []) {
    const progress = (text: string) => tell(`${flavour}: ${text}`)
    const figures = await runKills({ flavour, kills, replayed: REPLAYED, seed, progress })
    rows.push(rowOf(flavour, figures))
    broken.push(...brokenGuarantees(flavour, figures))
  }
  if (rows.length > 0) console.table(Object.fromEntries(rows.map(({ database, ...row }) => [database, row])))
  for (const flavour of faults > 0 ? chosen : []) {
    const progress = (text: string) => tell(`${flavour}: ${text}`)
    const figures = await runFaults({ flavour, count: faults, seed, progress })
    show(flavour, figures)
    broken.push(...brokenByFaults(flavour, figures))
  }
}

await runCopy(import.meta.filename)
console.log(`seed ${seed}`)
if (restarts > 0) showRestarts(await runRestarts(restarts, tell))
else if (isFleet) await soakFleet()
else {
  const postgres = await startPostgres()
  process.env.POSTERN_TEST_POSTGRES = postgres.url
  await soakEach().finally(() => postgres.stop())
}
for (const what of broken) console.error(what)
process.exit(broken.length > 0 ? 1 : 0)
