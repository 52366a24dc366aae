// When the steps of a request began, over real sockets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSteps } from '../../src/delivery/send/steps.ts'
import { startCallback } from '../stage/callback-servers.ts'
import { certificateAuthority, selfSigned } from '../stage/certificates.ts'
import { get, senderTo } from '../stage/sending.ts'

/** The times of the steps; undefined for one that was not needed or not come to. */
const stepsOf = ({ timing }: { timing: string }) => timing.split(',').map((ms) => (ms === '' ? undefined : Number(ms)))

test('a request tells when its name was resolved, its connection and TLS stood, and its answer came; a second one the answer alone', async () => {
  const issuer = await certificateAuthority('Trusted')
  await using callback = await startCallback((_request, response) => response.end('ok'), await selfSigned({ issuer }))
  await using sender = senderTo({ ca: issuer.cert })
  const first = await sender.send(get(callback.origin))
  const steps = stepsOf(first)
  assert.equal(steps.length, 4)
  assert.ok(steps.every(Number.isInteger), first.timing)
  assert.deepEqual(
    steps,
    steps.toSorted((a, b) => a! - b!),
  )
  assert.ok(steps[3]! <= first.latencyMs, `${first.timing} of ${first.latencyMs}`)
  const [resolved, connected, sent, answered] = stepsOf(await sender.send(get(callback.origin)))
  assert.deepEqual([resolved, connected], [undefined, undefined])
  assert.ok(sent! >= 0 && answered! >= sent!)
})

test('without TLS no handshake is told, and a callback that does not listen was resolved and no more', async () => {
  await using callback = await startCallback((_request, response) => response.end('ok'))
  await using sender = senderTo()
  const [resolved, handshaking, sent, answered] = stepsOf(await sender.send(get(callback.origin)))
  assert.equal(handshaking, undefined)
  assert.ok(resolved! <= sent! && sent! <= answered!)
  const closed = callback.origin
  await callback[Symbol.asyncDispose]()
  await using another = senderTo()
  const refused = await another.send(get(closed))
  assert.equal(refused.kind, 'failed')
  assert.equal(stepsOf(refused).length, 1, refused.timing)
})

test('steps are told in whole milliseconds from the beginning of the request, and a restart forgets them', () => {
  let nowMs = 100
  const steps = createSteps(() => nowMs)
  steps.step = 'resolving'
  nowMs = 102.4
  steps.step = 'connecting'
  nowMs = 140.6
  steps.step = 'reading'
  assert.equal(steps.timing(100), '2,,,41')
  steps.restart()
  assert.equal(steps.timing(100), '')
  steps.step = 'waiting'
  assert.equal(steps.timing(200), ',,0')
})
