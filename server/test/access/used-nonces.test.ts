// Credentials that one request may use, and that request again: the database may break before it knows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPortals } from '../../src/access/portals.ts'
import { createRecentNonces } from '../../src/development/clock/recent-nonces.ts'
import { createSeal } from '../../src/lib/seal.ts'
import { anApp, openedAlone, SECRET } from '../storage/samples.ts'

test('the request that has used the link of a portal may use it again, and no other', async () => {
  await using it = await openedAlone('sqlite')
  const { apps, nonces } = it.storage
  const app = anApp()
  const portals = createPortals({ seal: createSeal([SECRET]), apps, nonces, now: () => 0, machineNow: () => 0 })
  const { token } = portals.makeLink(app)
  const use = async (requestId: number) => (await portals.useLink(token, requestId))?.id
  assert.deepEqual([await use(1), await use(2), await use(1)], [app.id, undefined, app.id])
})

test('a nonce that is remembered by real time is known to the request that has used it, also once the clock was moved', async () => {
  await using it = await openedAlone('sqlite')
  const nonces = createRecentNonces(it.storage.nonces, it.clock)
  const accept = (nowMs: number, requestId: number) => nonces.accept('k', nowMs + 1000, nowMs, requestId)
  assert.deepEqual([await accept(0, 1), await accept(0, 2), await accept(0, 1)], [true, false, true])
  assert.deepEqual([await accept(5000, 2), await accept(5000, 1)], [false, true])
})
