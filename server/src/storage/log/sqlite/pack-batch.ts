import type { NewEvent } from '../../event-log.ts'
import type { Ack } from '../ack.ts'
import { BYTES_PER_UNIT, createPacker, createUnpacker, type Packer, type Unpacker } from './packer.ts'

/** An event with its sequence number. */
export interface Entry {
  sequence: number
  event: NewEvent
}

/** The outcomes of attempts; each is packed as its index. */
export const outcomes = ['delivered', 'failed', 'not_sent'] as const

function packEntry(packer: Packer, { sequence, event }: Entry) {
  packer.number(sequence)
  packer.text(event.eventUuid ?? '')
  packer.text(event.eventType)
  packer.text(event.userId)
  packer.bytes(event.content)
  packer.text(event.traceparent ?? '')
  packer.number(event.targets.length)
  for (const target of event.targets) {
    packer.text(target.webhookId)
    packer.text(target.match)
    packer.number(target.notSent === undefined ? 0 : 1)
    if (target.notSent !== undefined) packer.text(target.notSent)
  }
  packer.number(event.streams?.length ?? 0)
  for (const { appId, match } of event.streams ?? []) {
    packer.text(appId)
    packer.text(match)
  }
}

function unpackEntry(from: Unpacker): Entry {
  const sequence = from.number()
  const eventUuid = from.text() || undefined
  const eventType = from.text()
  const userId = from.text()
  const content = from.bytes()
  const traceparent = from.text() || undefined
  const targets = Array.from({ length: from.number() }, () => {
    const target = { webhookId: from.text(), match: from.text() }
    return from.number() === 0 ? target : { ...target, notSent: from.text() }
  })
  const streams = Array.from({ length: from.number() }, () => ({ appId: from.text(), match: from.text() }))
  return { sequence, event: { eventUuid, eventType, userId, content, traceparent, targets, streams } }
}

function packAck(packer: Packer, { sequence, webhookId, origin, n, attempt, retryAtMs }: Ack) {
  packer.number(sequence)
  packer.text(webhookId)
  packer.text(origin)
  packer.number(n)
  packer.number(attempt.atMs)
  packer.number(attempt.latencyMs)
  packer.number(attempt.status ?? Number.NaN)
  packer.number(outcomes.indexOf(attempt.outcome))
  packer.text(attempt.error)
  packer.text(attempt.response)
  packer.text(attempt.timing)
  packer.number(retryAtMs ?? Number.NaN)
}

const orNull = (value: number) => (Number.isNaN(value) ? null : value)

const unpackAck = (from: Unpacker): Ack => ({
  sequence: from.number(),
  webhookId: from.text(),
  origin: from.text(),
  n: from.number(),
  attempt: {
    atMs: from.number(),
    latencyMs: from.number(),
    status: orNull(from.number()),
    outcome: outcomes[from.number()]!,
    error: from.text(),
    response: from.text(),
    timing: from.text(),
  },
  retryAtMs: orNull(from.number()),
})

/** Upper bound of the bytes of an entry without its content, and of a target without its match. */
const OVERHEAD_BYTES = 512

function expectedBytes(entries: readonly Entry[]): number {
  let bytes = 0
  for (const { event } of entries) {
    bytes += OVERHEAD_BYTES + event.content.length
    for (const { match } of event.targets) bytes += OVERHEAD_BYTES + match.length * BYTES_PER_UNIT
    for (const { match } of event.streams ?? []) bytes += OVERHEAD_BYTES + match.length * BYTES_PER_UNIT
  }
  return bytes
}

/** Packs a batch, into the spare buffer if that is large enough. */
export function packBatch(entries: readonly Entry[], acks: readonly Ack[], spare?: ArrayBuffer): ArrayBuffer {
  const packer = createPacker(spare, expectedBytes(entries))
  for (const entry of entries) packEntry(packer, entry)
  for (const ack of acks) packAck(packer, ack)
  return packer.packed()
}

/** Calls `on` for each entry and acknowledgement of a batch, in order. The content of an event is a view into the buffer. */
export function unpackBatch(
  packed: ArrayBuffer,
  counts: { entries: number; acks: number },
  on: { entry(entry: Entry): void; ack(ack: Ack): void },
) {
  const from = createUnpacker(packed)
  for (let i = 0; i < counts.entries; i++) on.entry(unpackEntry(from))
  for (let i = 0; i < counts.acks; i++) on.ack(unpackAck(from))
}
