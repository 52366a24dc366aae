import type { ClientBase } from 'pg'
import {
  applyUsers,
  areAlike,
  count,
  type MembershipRow,
  type MembershipRows,
  replaceRows,
  type SizeChanges,
} from '../../../memberships/apply-batch.ts'
import { type BatchUser, IDENTIFIER_BYTES, unpackBatch } from '../../../memberships/packed-batch.ts'
import { statements } from './member-statements.ts'
import { type SweptPlace, sweepRows } from './sweep-rows.ts'

interface Row {
  identifier: Buffer
  effective: number
  expires: number
  head: Buffer | null
  next: Buffer | null
  size: number
}

const keyOf = (bytes: Buffer | null) => bytes?.toString('latin1') ?? null
const bytesOf = (key: string) => Buffer.from(key, 'latin1')

const rowOf = ({ effective, expires, head, next, size }: Row): MembershipRow => ({
  effective,
  expires,
  head: keyOf(head),
  next: keyOf(next),
  size,
  isStored: true,
  isGone: false,
  isChanged: false,
})

/** Identifiers one after the other. */
function pack(keys: readonly string[]): Buffer {
  const packed = Buffer.allocUnsafe(keys.length * IDENTIFIER_BYTES)
  for (const [place, key] of keys.entries()) packed.write(key, place * IDENTIFIER_BYTES, 'latin1')
  return packed
}

/** An array of bytes as PostgreSQL reads it: the driver has no form for one with nulls. */
const bytesArray = (keys: readonly (string | null)[]) =>
  `{${keys.map((key) => (key === null ? 'null' : `"\\\\x${bytesOf(key).toString('hex')}"`)).join()}}`

type KeyedRow = [key: string, row: MembershipRow]

/** Splits off the users of one identifier that have the times of the first row. */
function splitAlike(rows: readonly KeyedRow[]): [alike: KeyedRow[], others: KeyedRow[]] {
  const [, first] = rows[0] ?? []
  const isAlike = ([, { effective, expires, head, next }]: KeyedRow) =>
    head === null && next === null && effective === first?.effective && expires === first.expires
  return [rows.filter(isAlike), rows.filter((row) => !isAlike(row))]
}

/** A statement must end within its timeout, also on a slow machine. */
const SLICE_ROWS = 10_000

const slicesOf = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / SLICE_ROWS) }, (_, slice) => items.slice(slice * SLICE_ROWS, (slice + 1) * SLICE_ROWS))

/** The parameters of `putAlike` after the audience. */
function alikeValues(rows: readonly KeyedRow[]): unknown[] {
  const [, { effective, expires }] = rows[0]!
  return [pack(rows.map(([key]) => key)), rows.length, effective, expires]
}

/** The parameters of `put` after the audience. */
function rowValues(rows: readonly KeyedRow[]): unknown[] {
  const column = <T>(value: (row: MembershipRow) => T) => rows.map(([, row]) => value(row))
  const times = [column(({ effective }) => effective), column(({ expires }) => expires)]
  const links = [bytesArray(column(({ head }) => head)), bytesArray(column(({ next }) => next))]
  return [pack(rows.map(([key]) => key)), ...times, ...links, column(({ size }) => size)]
}

async function transaction<T>(client: ClientBase, run: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    const result = await run()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** How far a sweep came; undefined before its begin. */
export interface SweepProgress {
  place?: SweptPlace
}

const askOn = (client: ClientBase) => async (name: keyof typeof statements, values: unknown[]) =>
  (await client.query<Row>({ name: `members-${name}`, text: statements[name], values })).rows

/** Applies batches to the rows of audiences. */
function createMemberRows(ask: ReturnType<typeof askOn>) {
  const add = (rows: MembershipRows, found: readonly Row[]) => {
    for (const row of found) {
      const key = keyOf(row.identifier)!
      if (!rows.has(key)) rows.set(key, rowOf(row))
    }
  }

  /** The existing rows of the keys, and their heads. */
  async function rowsOf(number: number, keys: readonly string[]): Promise<MembershipRows> {
    const rows: MembershipRows = new Map()
    for (const slice of slicesOf(keys)) add(rows, await ask('rows', [number, pack(slice), slice.length]))
    const heads = new Set([...rows.values()].flatMap(({ head }) => (head === null || rows.has(head) ? [] : [head])))
    for (const slice of slicesOf([...heads])) add(rows, await ask('rows', [number, pack(slice), slice.length]))
    return rows
  }

  async function write(number: number, rows: MembershipRows) {
    const changed = [...rows].filter(([, { isChanged }]) => isChanged).sort(([one], [other]) => (one < other ? -1 : 1))
    const gone = changed.filter(([, { isGone, isStored }]) => isGone && isStored).map(([key]) => key)
    for (const slice of slicesOf(gone)) await ask('drop', [number, pack(slice), slice.length])
    const [alike, others] = splitAlike(changed.filter(([, { isGone }]) => !isGone))
    for (const slice of slicesOf(alike)) await ask('putAlike', [number, ...alikeValues(slice)])
    for (const slice of slicesOf(others)) await ask('put', [number, ...rowValues(slice)])
  }

  /** Adds those of the users who are new, where that can be told without reading any row. Answers the others. */
  async function addNew(number: number, users: readonly BatchUser[], changes: SizeChanges): Promise<readonly BatchUser[]> {
    if (!areAlike(users)) return users
    const { effective, expires } = users[0]!
    const keys = users.map(({ keys: [key] }) => key!).sort()
    const existing = await ask('addAlike', [number, pack(keys), keys.length, effective, expires])
    count(changes, { effective, expires }, keys.length - existing.length)
    if (existing.length === 0) return []
    const isLeft = new Set(existing.map(({ identifier }) => keyOf(identifier)))
    return users.filter(({ keys: [key] }) => isLeft.has(key!))
  }

  async function applyUsersTo(number: number, users: readonly BatchUser[], changes: SizeChanges, now: number) {
    const keys = users.flatMap(({ keys }) => keys)
    const rows = await rowsOf(number, keys)
    for (const missing of applyUsers(users, rows, changes, now)) {
      if (missing !== undefined) add(rows, await ask('chain', [number, bytesOf(missing)]))
      else {
        await write(number, rows)
        replaceRows(rows, await rowsOf(number, keys))
      }
    }
    await write(number, rows)
  }

  /** Changes the rows, and answers by how much the size changes at which second. */
  async function applyBatch(number: number, batch: ArrayBuffer, now: number): Promise<SizeChanges> {
    const changes: SizeChanges = new Map()
    for (const users of unpackBatch(batch).parts()) {
      const left = await addNew(number, users, changes)
      if (left.length > 0) await applyUsersTo(number, left, changes, now)
    }
    return changes
  }

  return { applyBatch }
}

/** The memberships of a database, on one connection. A sweep goes on where one on another connection failed. */
export function createMemberTables(client: ClientBase, progress: SweepProgress) {
  const ask = askOn(client)
  const { applyBatch } = createMemberRows(ask)

  async function lock(audienceId: string): Promise<{ number: number; removed: boolean }> {
    await ask('addAudience', [audienceId])
    const [audience] = await ask('lockAudience', [audienceId])
    return audience as unknown as { number: number; removed: boolean }
  }

  /** Adds up what is past, of each audience while no batch changes it. */
  async function foldAll(nowSeconds: number) {
    for (const { audience } of (await ask('unfolded', [nowSeconds])) as unknown as { audience: number }[])
      await transaction(client, async () => {
        await ask('lockNumber', [audience])
        await ask('fold', [audience, nowSeconds])
      })
  }

  return {
    apply: ({ audienceId, batch, nowMs }: { audienceId: string; batch: ArrayBuffer; nowMs: number }): Promise<boolean> =>
      transaction(client, async () => {
        const { number, removed } = await lock(audienceId)
        if (removed) return false
        const now = Math.floor(nowMs / 1000)
        const changes = await applyBatch(number, batch, now)
        const real = [...changes].filter(([, change]) => change !== 0)
        await ask('putChanges', [number, real.map(([at]) => at), real.map(([, change]) => change)])
        await ask('fold', [number, now])
        return true
      }),
    remove: (audienceId: string): Promise<void> =>
      transaction(client, async () => {
        const { number } = await lock(audienceId)
        await client.query('update audience_numbers set removed = true where number = $1', [number])
        await client.query('delete from audience_size_changes where audience = $1', [number])
      }),
    async sweep(nowMs: number): Promise<boolean> {
      if (progress.place === undefined) await foldAll(Math.floor(nowMs / 1000))
      const reached = (place: SweptPlace | undefined) => {
        progress.place = place
      }
      await transaction(client, () => sweepRows(client, progress.place, nowMs, reached))
      return progress.place !== undefined
    },
    async wipe() {
      await client.query('delete from audience_members; delete from audience_size_changes; delete from audience_numbers')
    },
  }
}

export type MemberTables = ReturnType<typeof createMemberTables>
