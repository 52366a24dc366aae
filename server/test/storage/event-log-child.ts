// A process that works its log hard until it is killed: appends, acknowledges out of order, fails, parks and reads back, all at random.
// It says what it was told was durable: `a <uuid> <webhook>` for a delivery that was appended, `s <uuid> <webhook>` for one acknowledged for good.
import { createClock, holdProcess } from '../../src/lib/clock.ts'
import type { Delivery } from '../../src/storage/event-log.ts'
import type { Flavour } from '../stage/database.ts'
import { delivered, event, failed, openLog, to } from './event-log-stage.ts'

const APPENDERS = 8
const MOST_HELD = 15
const webhookIds = Array.from({ length: 10 }, (_, place) => String(place))

const [flavour, url] = process.argv.slice(2) as [Flavour, string]
const clock = createClock()
holdProcess()
const { log, held } = await openLog(flavour, url, { clock })
const parked = new Set((await log.recover()).parked)

const say = (mark: 'a' | 's', { eventUuid }: { eventUuid: string }, webhookId: string) =>
  process.stdout.write(`${mark} ${eventUuid} ${webhookId}\n`)

async function append() {
  const targets = to(...webhookIds.filter(() => Math.random() < 0.2))
  const eventUuid = Math.random() < 0.1 ? `given-${Math.random()}` : undefined
  for (const accepted of await log.append([event({ targets, eventUuid }), event({ targets })])) {
    for (const { webhookId } of targets) say('a', accepted, webhookId)
  }
}

function acknowledge(delivery: Delivery) {
  const luck = Math.random()
  if (luck < 0.1) return log.acknowledge(delivery, failed(clock), clock.now() + Math.random() * 20)
  const attempt = luck < 0.15 ? failed(clock) : delivered(clock)
  return log.acknowledge(delivery, attempt, null).then(() => say('s', delivery, delivery.webhookId))
}

function parkFull() {
  for (const webhookId of webhookIds) {
    const unsent = held.filter((delivery) => delivery.webhookId === webhookId && delivery.attempts === 0)
    if (unsent.length < MOST_HELD || Math.random() < 0.5) continue
    const back = new Set(unsent.slice(3))
    held.splice(0, held.length, ...held.filter((delivery) => !back.has(delivery)))
    log.park(webhookId, [...back])
    parked.add(webhookId)
  }
}

async function readBack(webhookId: string) {
  const page = await log.read(webhookId, 20)
  if (page.length === 0) parked.delete(webhookId)
  held.push(...page)
}

/** Settles fewer than come in, now and then all. */
function settleSome() {
  const some = held.toSorted(() => Math.random() - 0.5).slice(0, Math.random() < 0.005 ? held.length : 3)
  const chosen = new Set(some)
  held.splice(0, held.length, ...held.filter((delivery) => !chosen.has(delivery)))
  for (const delivery of some) void acknowledge(delivery)
}

async function work() {
  for (;;) {
    await append()
    settleSome()
    parkFull()
    for (const webhookId of parked) if (Math.random() < 0.1) await readBack(webhookId)
    if (Math.random() < 0.2) held.push(...(await log.takeDue(clock.now(), 20)))
  }
}

await Promise.all(Array.from({ length: APPENDERS }, work))
