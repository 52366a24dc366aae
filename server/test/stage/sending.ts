import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Stage } from '../../src/delivery/send/outcome.ts'
import { createSender, type Outcome, type Outgoing, type Sender, type SenderOptions } from '../../src/delivery/send/sender.ts'
import { createClock } from '../../src/lib/clock.ts'
import { createUndiciConnection } from './undici/undici-connection.ts'

export const TIMEOUT_MS = 10_000

/** A real sender that may reach loopback; closed when disposed of. */
export function senderTo(options: Partial<SenderOptions> = {}): Sender & AsyncDisposable {
  const sender = createSender({ clock: createClock(), allow: ['127.0.0.0/8', '::1/128'], refuse: () => [], ...options })
  return { ...sender, [Symbol.asyncDispose]: sender.close }
}

/** Defines tests of connections: of ours, and of those that read with undici, which is the reference. */
export function ofEachConnection(define: (open: typeof senderTo) => void): void {
  describe('our connection', () => define(senderTo))
  describe("undici's connection", () => define((options) => senderTo({ createConnection: createUndiciConnection, ...options })))
}

export const get = (url: string, more: Partial<Outgoing> = {}): Outgoing => ({
  method: 'GET',
  to: url,
  headers: [],
  timeoutMs: TIMEOUT_MS,
  ...more,
})

export const post = (url: string, body = Buffer.from('{}')): Outgoing => get(url, { method: 'POST', body })

export function failed(outcome: Outcome, stage: Stage, message: RegExp | string): void {
  assert.ok(outcome.kind === 'failed', JSON.stringify(outcome))
  assert.equal(outcome.stage, stage, outcome.message)
  if (typeof message === 'string') assert.equal(outcome.message, message)
  else assert.match(outcome.message, message)
}

/** Undefined while there is no outcome. */
export const soFar = async (sending: Promise<Outcome>): Promise<Outcome | undefined> => Promise.race([sending, Promise.resolve(undefined)])

/** One turn of the event loop. */
export const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Turns the event loop until it is so, which must not take long. */
export async function soon(isSo: () => boolean) {
  for (let turns = 0; !isSo(); turns++) {
    assert.ok(turns < 10_000, `still not so: ${isSo}`)
    await turn()
  }
}
