import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { trimSlice, trimStatement } from '../../src/storage/log/postgres/trim.ts'
import { createTrim } from '../../src/storage/log/sqlite/trim.ts'
import { eventsOfSlice, type Trimmed, type TrimSlice } from '../../src/storage/log/trim-in-slices.ts'
import { keysOnly } from '../../src/storage/postgres/planner-settings.ts'
import type { Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { getTypeParser, openPool } from '../stage/pool.ts'
import { event, stageLog } from './event-log-stage.ts'

const flavours = databasesOf(import.meta)

/** An event whose deliveries were never sent. */
const unsent = (deliveries: number) =>
  event({ targets: Array.from({ length: deliveries }, (_, place) => ({ webhookId: `${place}`, match: '', notSent: 'webhook invalid' })) })

/** Trims a slice of a log that is closed. */
function openSlices(flavour: Flavour, url: string) {
  if (flavour === 'sqlite') {
    const file = new DatabaseSync(`${url.slice('sqlite:'.length)}.events`)
    const trim = createTrim(file, { trimmed: () => {} })
    return { trim: async (slice: TrimSlice) => trim(slice), close: async () => file.close() }
  }
  const pool = openPool(url, 1, { types: { getTypeParser } })
  return { trim: (slice: TrimSlice) => trimSlice(pool, slice), close: () => pool.end() }
}

test('a slice takes events up to 100 deliveries in all, and its first one however many it has', () => {
  const taken = (...deliveries: number[]) => eventsOfSlice(deliveries.map((count, place) => ({ sequence: place + 1, deliveries: count })))
  assert.deepEqual(taken(), [])
  assert.deepEqual(taken(0, 1, 2), [1, 2, 3])
  assert.deepEqual(taken(70, 30, 1), [1, 2])
  assert.deepEqual(taken(70, 31, 1), [1])
  assert.deepEqual(taken(5000, 1), [1])
})

test('a trim finds what it deletes by whole keys', { skip: !flavours.includes('postgres') }, async () => {
  await using stage = await stageLog('postgres')
  await stage.log.append(Array.from({ length: 300 }, () => unsent(2)))
  const pool = openPool(stage.url, 1, { types: { getTypeParser } })
  await pool.query(keysOnly.map((setting) => `set ${setting}`).join('; '))
  const { rows } = await pool.query(`explain ${trimStatement.replace('$1', "'{1,2,3}'")}`)
  await pool.end()
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  assert.match(plan, /Scan on log_delivery_pkey[^\n]*\n\s+Index Cond: \(\(webhook_id = [^\n]*\) AND \(sequence = /, plan)
  assert.doesNotMatch(plan, /Seq Scan/, plan)
})

for (const flavour of flavours)
  suite(`slices of a trim on ${flavour}`, () => {
    test('a slice of events that go to many webhooks deletes few of them, and the next one goes on after it', async () => {
      await using stage = await stageLog(flavour)
      await stage.log.append([unsent(70), unsent(30), unsent(70), unsent(150), unsent(1), unsent(1)])
      await stage.log.close()
      const slices = openSlices(flavour, stage.url)
      const deleted: number[] = []
      for (let after: number | null = -1; after !== null; ) {
        const trimmed: Trimmed = await slices.trim({ after, before: Number.MAX_SAFE_INTEGER, limit: 250 })
        deleted.push(trimmed.deleted)
        after = trimmed.last
      }
      await slices.close()
      assert.deepEqual(deleted, [2, 1, 1, 2, 0])
    })
  })
