/** What is counted for each app, in the order of the columns. */
export const loadMeasures = ['calls', 'refusals', 'events', 'deliveries', 'attempts', 'failed_attempts', 'bytes', 'callback_ms'] as const
export type LoadMeasure = (typeof loadMeasures)[number]

const COLUMNS = loadMeasures.length
const FIRST_REFUSAL = 400
const MINUTE_MS = 60_000

/** With more apps in a minute, the light ones are added to the rest. */
const MAX_APPS = 4096
/** So many apps keep their own row for each measure. */
const HEAVIEST = 64
/** Ended minutes that could not be saved. */
const MAX_ENDED = 60

/** The row of all apps that have none of their own: no app has this id. */
export const REST = ''

/** What was counted, by app. */
export type LoadRows = Map<string, Float64Array>

export const minuteAt = (ms: number) => Math.floor(ms / MINUTE_MS)

const rowOf = (rows: LoadRows, appId: string): Float64Array => {
  const known = rows.get(appId)
  if (known) return known
  const fresh = new Float64Array(COLUMNS)
  rows.set(appId, fresh)
  return fresh
}

const addTo = (sum: Float64Array, row: ArrayLike<number>) => {
  for (let column = 0; column < COLUMNS; column++) sum[column]! += row[column]!
}

/** Adds the rows of all apps to the rest, but those of the heaviest by each measure: at most 512 apps stay. */
export function keepHeaviest(rows: LoadRows): LoadRows {
  if (rows.size <= HEAVIEST * COLUMNS) return rows
  const apps = [...rows].filter(([appId]) => appId !== REST)
  const kept: LoadRows = new Map()
  for (let column = 0; column < COLUMNS; column++)
    for (const [appId, row] of apps.sort(([, one], [, other]) => other[column]! - one[column]!).slice(0, HEAVIEST))
      if (row[column]! > 0) kept.set(appId, row)
  const rest = new Float64Array(COLUMNS)
  for (const [appId, row] of rows) if (!kept.has(appId)) addTo(rest, row)
  return kept.set(REST, rest)
}

/** Adds rows to others. */
export function addRows(sum: LoadRows, rows: Iterable<readonly [string, ArrayLike<number>]>): LoadRows {
  for (const [appId, row] of rows) addTo(rowOf(sum, appId), row)
  return sum
}

/** The rows as JSON: a list for each app, which begins with its id. */
export const writeRows = (rows: LoadRows): string =>
  JSON.stringify([...keepHeaviest(rows)].map(([appId, row]) => [appId, ...Array.from(row, Math.round)]))

/** Reads what `writeRows` made. What another version counts differently is left out. */
export function readRows(text: string): (readonly [string, number[]])[] {
  const lists: unknown = JSON.parse(text)
  if (!Array.isArray(lists)) return []
  const isRow = (list: unknown): list is [string, ...number[]] =>
    Array.isArray(list) && list.length === COLUMNS + 1 && typeof list[0] === 'string' && list.slice(1).every(Number.isSafeInteger)
  return lists.filter(isRow).map(([appId, ...row]) => [appId, row] as const)
}

/** Rows as JSON that are added up. */
export const mergeRows = (texts: readonly string[]): string =>
  writeRows(texts.reduce<LoadRows>((sum, text) => addRows(sum, readRows(text)), new Map()))

/** What a process counted in a minute. */
export interface LoadMinute {
  /** Since 1970. */
  minute: number
  rows: LoadRows
}

/**
 * What this process does for each app, by minute. A call or a delivery costs a look at the clock and a few additions. Of the apps of a minute the
 * heaviest 64 by each measure keep their own row, however many there are.
 */
export function createAppLoad(now: () => number) {
  let current: LoadMinute = { minute: minuteAt(now()), rows: new Map() }
  let ended: LoadMinute[] = []

  const end = (minute: number) => {
    if (current.rows.size > 0) ended.push({ ...current, rows: keepHeaviest(current.rows) })
    if (ended.length > MAX_ENDED) ended.shift()
    current = { minute, rows: new Map() }
  }

  const countFor = (appId: string): Float64Array => {
    const minute = minuteAt(now())
    if (minute !== current.minute) end(minute)
    if (current.rows.size >= MAX_APPS && !current.rows.has(appId)) current.rows = keepHeaviest(current.rows)
    return rowOf(current.rows, appId)
  }

  return {
    called(appId: string, status: number) {
      const row = countFor(appId)
      row[0]! += 1
      if (status >= FIRST_REFUSAL) row[1]! += 1
    },
    /** An event that is new, with its deliveries to webhooks of the app. */
    published(appId: string, deliveries: number) {
      const row = countFor(appId)
      row[2]! += 1
      row[3]! += deliveries
    },
    attempted(appId: string, isFailed: boolean, bytes: number, ms: number) {
      const row = countFor(appId)
      row[4]! += 1
      if (isFailed) row[5]! += 1
      row[6]! += bytes
      row[7]! += ms
    },
    /** What is counted and was not taken yet, the running minute included. */
    take(): LoadMinute[] {
      end(minuteAt(now()))
      const taken = ended
      ended = []
      return taken
    },
    /** What could not be saved is taken again. */
    putBack(minutes: readonly LoadMinute[]) {
      ended = [...minutes, ...ended].slice(-MAX_ENDED)
    },
  }
}
export type AppLoad = ReturnType<typeof createAppLoad>
