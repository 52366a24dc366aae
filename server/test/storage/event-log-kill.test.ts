import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createClock } from '../../src/lib/clock.ts'
import type { DeliveryReport, EventLog } from '../../src/storage/event-log.ts'
import { cases } from '../stage/cases.ts'
import { type Flavour, migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { openLog, readAll } from './event-log-stage.ts'

const KILLS = cases(2, 6)
const child = fileURLToPath(new URL('./event-log-child.ts', import.meta.url))
const clock = createClock()

const keyOf = ({ eventUuid, webhookId }: { eventUuid: string; webhookId: string }) => `${eventUuid} ${webhookId}`

/** What processes were told was durable. */
interface Told {
  appended: Set<string>
  acknowledged: Set<string>
}

/** Lets a process work until it has said `lines` things, kills it, and notes them, with what it said until its death. */
async function workAndKill(flavour: Flavour, url: string, lines: number, told: Told) {
  const worker = spawn(process.execPath, [child, flavour, url], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(worker, 'exit')
  let heard = 0
  for await (const line of createInterface({ input: worker.stdout })) {
    const [mark, eventUuid, webhookId] = line.split(' ')
    if (webhookId) (mark === 'a' ? told.appended : told.acknowledged).add(`${eventUuid} ${webhookId}`)
    if (++heard === lines) worker.kill('SIGKILL')
  }
  const [, signal] = await exited
  assert.equal(signal, 'SIGKILL')
}

async function reportAll(log: EventLog): Promise<Map<string, DeliveryReport>> {
  const found = new Map<string, DeliveryReport>()
  for (let before: number | undefined; ; ) {
    const page = await log.report({ before, limit: 500 })
    for (const report of page) found.set(keyOf(report), report)
    before = page.at(-1)?.sequence
    if (before === undefined) return found
  }
}

/** Takes over as a start does, and answers everything that it can lay hands on. */
async function takeOver(flavour: Flavour, url: string) {
  const { log, held } = await openLog(flavour, url, { clock })
  const { parked } = await log.recover()
  const open = [...held, ...(await log.takeDue(clock.now() + 60_000, 100_000))]
  for (const webhookId of parked) open.push(...(await readAll(log, webhookId, 500)))
  const reports = await reportAll(log)
  await log.close()
  return { open: open.map(keyOf), reports, parked }
}

for (const flavour of databasesOf(import.meta)) {
  describe(`event log on ${flavour}`, () => {
    test(`kill -9 under load, ${KILLS} times: nothing accepted is lost, nothing acknowledged comes back`, async () => {
      await using database = await migratedDatabase(flavour)
      let parkings = 0
      const told: Told = { appended: new Set(), acknowledged: new Set() }
      for (let kill = 0; kill < KILLS; kill++) {
        await workAndKill(flavour, database.url, 300 + Math.floor(Math.random() * 3_000), told)
        const { open, reports, parked } = await takeOver(flavour, database.url)
        parkings += parked.length
        const isOpen = new Set(open)
        assert.equal(isOpen.size, open.length, 'a delivery was handed out twice')
        const acknowledged = [...reports].filter(([, { state }]) => state === 'delivered' || state === 'given_up').map(([key]) => key)
        const isSettled = new Set(acknowledged)
        assert.deepEqual(
          [...told.appended].filter((key) => !isOpen.has(key) && !isSettled.has(key)),
          [],
          'accepted and lost',
        )
        assert.deepEqual(
          [...told.acknowledged].filter((key) => isOpen.has(key) || !isSettled.has(key)),
          [],
          'acknowledged and forgotten',
        )
        assert.deepEqual(
          [...reports.keys()].filter((key) => isOpen.has(key) === isSettled.has(key)),
          [],
          'neither open nor acknowledged, or both',
        )
      }
      if (flavour === 'sqlite') assert.ok(parkings > 0, 'no kill met a parked webhook')
    })
  })
}
