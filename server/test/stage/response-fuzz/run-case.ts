import type { Connection, CreateConnection } from '../../../src/delivery/send/connection-port.ts'
import { explainError } from '../../../src/delivery/send/explain-error.ts'
import { readTarget, type Target } from '../../../src/delivery/send/target.ts'
import { type Clock, endOfTurn } from '../../../src/lib/clock.ts'
import type { FuzzCase } from './fuzz-case.ts'
import { MemorySocket } from './memory-socket.ts'

/** How a request ended. */
export interface Ending {
  /** The status, the stage that failed, or what it is still doing. */
  what: string
  headers?: string
  body?: string
  isTruncated?: boolean
}

/** How both requests of a case ended. The second is sent if the connection is kept. */
export interface CaseOutcome {
  first: Ending
  isKept: boolean
  second: Ending | undefined
}

const TARGET = readTarget('http://callback.test/') as Target
const REQUEST = { method: 'POST' as const, path: '/', headers: [], body: Buffer.from('{}') }
const ANSWER = Buffer.from('HTTP/1.1 299 Another\r\ncontent-length: 7\r\n\r\nanother')

/** Two turns: one for the event loop's phases, and one for what undici puts off by a turn. */
async function turns() {
  await endOfTurn()
  await endOfTurn()
}

/** Within the same turn, but once everything that was received has been read. */
async function finishLate(socket: MemorySocket) {
  for (let ticks = 0; ticks < 3; ticks++) await new Promise<void>((resolve) => process.nextTick(resolve))
  socket.finishWrites()
}

/** Runs a case on a connection of this implementation. */
export async function runCase(createConnection: CreateConnection, clock: Clock, fuzzCase: FuzzCase): Promise<CaseOutcome> {
  const ends: Ending[] = []
  let socket: MemorySocket | undefined
  const connection: Connection<number> = createConnection<number>(
    TARGET,
    clock,
    async (_target, progress, _signal, onread) => {
      progress.step = 'waiting'
      socket = new MemorySocket(onread)
      socket.isHeld = fuzzCase.reads !== 'at once'
      socket.on('error', () => {})
      return socket.asSocket()
    },
    {
      answered(cargo, { status, headers, body, truncated }) {
        ends[cargo] = {
          what: `${status}`,
          headers: JSON.stringify(Object.entries(headers).sort()),
          body: body.toString('latin1'),
          isTruncated: truncated,
        }
      },
      failed(cargo, error, { step }) {
        ends[cargo] = { what: explainError(error, { step, peer: 'it' }).stage }
      },
      notSent(cargo) {
        ends[cargo] = { what: 'not sent' }
      },
      dropped() {},
    },
  )
  const endOf = (cargo: number): Ending => ends[cargo] ?? { what: connection.step }

  connection.carry(REQUEST, 0)
  await turns()
  const opened = socket!
  for (const [place, piece] of fuzzCase.pieces.entries()) {
    opened.receive(piece)
    if (fuzzCase.reads === 'late' && place === fuzzCase.pieces.length - 1) await finishLate(opened)
    await endOfTurn()
  }
  await turns()
  if (fuzzCase.next === 'ends') opened.receiveEnd()
  if (fuzzCase.next === 'resets') opened.receiveReset()
  await turns()
  const outcome: CaseOutcome = { first: endOf(0), isKept: connection.isIdle(), second: undefined }
  if (outcome.isKept) {
    connection.carry(REQUEST, 1)
    await turns()
    if (socket === opened) opened.receive(ANSWER)
    await turns()
    outcome.second = endOf(1)
  }
  void connection.close()
  return outcome
}
