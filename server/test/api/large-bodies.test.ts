import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { createBodyBudget, createLargeBodies } from '../../src/api/http/large-bodies.ts'
import { createClock } from '../../src/lib/clock.ts'

const MEGABYTE = 1024 * 1024

/** What is needed of a connection and of the requests on it. */
function connection() {
  const socket = Object.assign(new EventEmitter(), { destroyed: false })
  const request = (bytes: number) =>
    Object.assign(new EventEmitter(), {
      headers: { 'content-length': String(bytes) },
      socket,
      destroyed: false,
    }) as unknown as IncomingMessage
  const response = () => new EventEmitter() as unknown as ServerResponse
  return { socket, request, response }
}

const budgetOf = (bytes: number) => createBodyBudget(createClock(), { bytes, mostWaiting: 9, longestWaitMs: 60_000 })

test('a client that disconnects while two of its large requests wait takes no room, and leaves no listener', async () => {
  const budget = budgetOf(4 * MEGABYTE)
  const bodies = createLargeBodies(budget)
  const { socket, request, response } = connection()
  const holding = await budget.take(3 * MEGABYTE, new AbortController().signal)
  const waiting = [
    bodies.enter(request(4 * MEGABYTE), response(), 64 * MEGABYTE),
    bodies.enter(request(2 * MEGABYTE), response(), 64 * MEGABYTE),
  ]
  holding!()
  socket.emit('close')
  assert.deepEqual(await Promise.all(waiting), [false, false])
  assert.equal(budget.taken(), 0)
  assert.equal(socket.listenerCount('close'), 0)
})

test('a request whose client has disconnected before is not admitted', async () => {
  const budget = budgetOf(4 * MEGABYTE)
  const { socket, request, response } = connection()
  socket.destroyed = true
  assert.equal(await createLargeBodies(budget).enter(request(2 * MEGABYTE), response(), 64 * MEGABYTE), false)
  assert.equal(budget.taken(), 0)
})

test('room is released when the response is closed, and the connection keeps no listener', async () => {
  const budget = budgetOf(4 * MEGABYTE)
  const { socket, request, response } = connection()
  const answer = response()
  assert.equal(await createLargeBodies(budget).enter(request(2 * MEGABYTE), answer, 64 * MEGABYTE), true)
  assert.equal(budget.taken(), 2 * MEGABYTE)
  answer.emit('close')
  assert.equal(budget.taken(), 0)
  assert.equal(socket.listenerCount('close'), 0)
})
