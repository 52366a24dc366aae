import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusingCallback } from '../../src/delivery/refusing-callback.ts'

test('a callback that answers 401 or 403 may have another secret, or look for the signature of the other dialect', () => {
  for (const status of [401, 403]) {
    assert.equal(
      refusingCallback({ status }, 'spec'),
      'If the callback refuses the signature: compare the consumer secret that it has with that of the app, and check that it signs the body as it came, byte by byte. The signature is in x-service-webhooks-signature. Only a callback that looks for x-twitter-webhooks-signature needs a server with POSTERN_DIALECT=x.',
    )
    assert.match(
      refusingCallback({ status }, 'x')!,
      /The signature is in x-twitter-webhooks-signature.*looks for x-service-webhooks-signature needs a server with POSTERN_DIALECT=spec\.$/,
    )
  }
})

test('any other answer, or none, has another reason', () => {
  for (const status of [200, 400, 404, 500, null]) assert.equal(refusingCallback({ status }, 'spec'), undefined)
})
