// PostgreSQL is restarted every minute under load, and whatever takes long afterwards is recorded with its plan and with what it waited for.
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { startPostgres } from '../postgres-server.ts'
import { scrape } from '../scrape.ts'
import { startAlike } from './alike.ts'
import { type Load, underLoad } from './load.ts'

const PUBLISHERS = 3
const BETWEEN_CALLS_MS = 30
const MINUTE_MS = 60_000
/** What takes longer is recorded. */
const LONG_MS = 200
const SAMPLE_MS = 50
/** Medians and slowest commits are those of so long. */
const WINDOW_MS = 5_000
/** Connections, caches and what waited come back in this time: it is told apart. */
const SETTLED_AFTER_MS = 10_000
const MOST_PLANS = 10

const SETTINGS = [
  'session_preload_libraries=auto_explain',
  `auto_explain.log_min_duration=${LONG_MS}ms`,
  'auto_explain.log_analyze=on',
  'auto_explain.log_timing=off',
  'auto_explain.log_buffers=on',
  'log_checkpoints=on',
  'log_lock_waits=on',
  'deadlock_timeout=200ms',
  'log_autovacuum_min_duration=0',
]

const ACTIVE = `select application_name as name, coalesce(wait_event_type || ' ' || wait_event, 'running') as waits, left(query, 90) as query,
  extract(epoch from clock_timestamp() - query_start) * 1000 as ms
  from pg_stat_activity where backend_type = 'client backend' and state = 'active' and pid <> pg_backend_pid()
  and clock_timestamp() - query_start > interval '${LONG_MS} milliseconds' and query !~* 'pg_advisory_lock|^select 1$'`

export interface RestartWindow {
  /** Since the server accepted connections again, in milliseconds. */
  sinceMs: number
  calls: number
  medianMs: number
  mostMs: number
  slowestCommitMs: number
}

export interface Restart {
  windows: RestartWindow[]
}

export interface SlowStatement {
  ms: number
  sinceMs: number
  text: string
}

export interface RestartFigures {
  restarts: Restart[]
  /** Statements that took long, with their plans, the slowest first. */
  statements: SlowStatement[]
  /** What statements that took long waited for: how often that was seen, and the longest. */
  waits: { waits: string; name: string; query: string; seen: number; ms: number; sinceMs: number }[]
  /** What else the server said: checkpoints, locks, vacuums. */
  said: string[]
}

const medianOf = (numbers: number[]) => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0

/** Restarts the server so often, a minute apart, and returns what took long. */
export async function runRestarts(count: number, progress: (text: string) => void = () => {}): Promise<RestartFigures> {
  const statements: SlowStatement[] = []
  const said: string[] = []
  const waits = new Map<string, RestartFigures['waits'][number]>()
  let startedAtMs = performance.now()
  const since = () => Math.round(performance.now() - startedAtMs)
  let isPlan = false
  const listen = (line: string) => {
    const isContinued = line.startsWith('\t')
    const [, ms] = /duration: ([\d.]+) ms {2}plan:/.exec(line) ?? []
    if (!isContinued) isPlan = ms !== undefined
    if (ms !== undefined) statements.push({ ms: Number(ms), sinceMs: since(), text: '' })
    else if (isContinued && isPlan) statements.at(-1)!.text += `${line}\n`
    else if (/checkpoint complete|still waiting|automatic (vacuum|analyze)/.test(line)) said.push(`${since()} ms: ${line}`)
  }
  const server = await startPostgres({ settings: SETTINGS, said: listen })
  let isOver = false

  const sample = async () => {
    let client: Client | undefined
    while (!isOver) {
      try {
        if (!client) {
          client = new Client({ connectionString: server.url, application_name: 'sampler' })
          client.on('error', () => {
            client = undefined
          })
          await client.connect()
        }
        for (const { name, waits: event, query, ms } of (await client.query(ACTIVE)).rows) {
          const key = `${event} ${name} ${query}`
          const known = waits.get(key) ?? { waits: event, name, query, seen: 0, ms: 0, sinceMs: since() }
          waits.set(key, { ...known, seen: known.seen + 1, ms: Math.max(known.ms, Math.round(ms)) })
        }
      } catch {
        client = undefined
      }
      await pause(SAMPLE_MS)
    }
    await client?.end()
  }

  try {
    await using alike = await startAlike(2, { databaseUrl: server.url, hasOwnWay: false })
    const { members, receiver, source } = alike
    let took: number[] = []
    const load: Load = {
      called: members,
      receiver,
      sources: [source],
      faults: 0,
      pauseMs: BETWEEN_CALLS_MS,
      isOver: false,
      answered: (ms) => void took.push(ms),
    }
    const sampling = sample()
    const slowestCommitMs = async () => {
      const scraped = members.map(({ origins }) =>
        scrape(origins.operator_url).then((found) => found.value('postern_log_commit_slowest_seconds') ?? 0),
      )
      return 1000 * Math.max(...(await Promise.all(scraped.map((one) => one.catch(() => 0)))))
    }
    const restarts: Restart[] = []
    await underLoad(load, PUBLISHERS, async () => {
      for (let number = 0; number < count; number += 1) {
        await server.halt(number % 2 === 0 ? 'SIGINT' : 'SIGQUIT')
        await server.launch()
        startedAtMs = performance.now()
        load.faults += 1
        const windows: RestartWindow[] = []
        while (since() < MINUTE_MS) {
          took = []
          await pause(WINDOW_MS)
          windows.push({
            sinceMs: since(),
            calls: took.length,
            medianMs: Math.round(medianOf(took)),
            mostMs: Math.round(Math.max(0, ...took)),
            slowestCommitMs: Math.round(await slowestCommitMs()),
          })
        }
        restarts.push({ windows })
        const settled = windows.filter(({ sinceMs }) => sinceMs > SETTLED_AFTER_MS)
        progress(
          `restart ${number + 1}: then a commit of ${Math.max(...settled.map((one) => one.slowestCommitMs))} ms at most, a call of ${Math.max(...settled.map((one) => one.mostMs))} ms, a median of ${Math.max(...settled.map((one) => one.medianMs))} ms in ${WINDOW_MS / 1000} s; ${source.accepted.length} accepted`,
        )
      }
    })
    isOver = true
    await sampling
    return {
      restarts,
      statements: statements.sort((one, other) => other.ms - one.ms).slice(0, MOST_PLANS),
      waits: [...waits.values()].sort((one, other) => other.ms - one.ms).slice(0, 2 * MOST_PLANS),
      said,
    }
  } finally {
    isOver = true
    await server.stop()
  }
}
