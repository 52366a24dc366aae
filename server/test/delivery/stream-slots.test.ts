import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { createConnectionSlots } from '../../src/delivery/stream/lifecycle.ts'
import { createClock } from '../../src/lib/clock.ts'
import { noLease } from '../../src/storage/work-lease.ts'

/** Slots above a table whose removals are held back, each until it is let go. */
function heldSlots() {
  const rows = new Set<string>()
  const held: (() => void)[] = []
  const begun: (() => void)[] = []
  const connections = {
    async open({ id }: { id: string }, limit: number) {
      if (rows.size >= limit) return 'limit'
      rows.add(id)
      return 'opened'
    },
    async close(ids: readonly string[]) {
      await new Promise<void>((resolve) => {
        held.push(resolve)
        for (const told of begun.splice(0)) told()
      })
      for (const id of ids) rows.delete(id)
    },
    noteUse: async () => {},
    list: async () => [],
  }
  const slots = createConnectionSlots({ connections, lease: noLease, clock: createClock(), logger: pino({ level: 'silent' }) })
  const open = (id: string) => slots.open({ id, appId: '1', createdAtMs: 0 }, 2)
  const hasBegun = async () => {
    if (held.length === 0) await new Promise<void>((resolve) => begun.push(resolve))
  }
  /** Lets the removal that has begun, or begins next, go on. */
  const letGo = async () => {
    await hasBegun()
    held.shift()!()
  }
  return { rows, slots, open, letGo, hasBegun }
}

test('a connection that ends while another is being removed is removed too, before that is said', async () => {
  const { rows, slots, open, letGo, hasBegun } = heldSlots()
  await open('a')
  await open('b')
  const first = slots.release('a')
  await hasBegun()
  let isSaid = false
  const second = slots.release('b').then(() => {
    isSaid = true
  })
  await letGo()
  await first
  assert.deepEqual([[...rows], isSaid], [['b'], false])
  await letGo()
  await second
  assert.deepEqual([...rows], [])
})

test('who connects while two connections are being removed, one after the other, finds both slots free', async () => {
  const { slots, open, letGo, hasBegun } = heldSlots()
  await open('a')
  await open('b')
  void slots.release('a')
  await hasBegun()
  void slots.release('b')
  const opening = [open('c'), open('d')]
  await letGo()
  await letGo()
  assert.deepEqual(await Promise.all(opening), ['opened', 'opened'])
})
