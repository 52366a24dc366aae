import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliverySpanId, readTraceparent, traceIdOf, writeTraceparent } from '../../src/lib/traceparent.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

test('a traceparent is read as W3C Trace Context writes it', () => {
  assert.deepEqual(readTraceparent(`00-${TRACE}-${SPAN}-01`), { traceId: TRACE, spanId: SPAN, isSampled: true })
  assert.deepEqual(readTraceparent(`00-${TRACE}-${SPAN}-00`), { traceId: TRACE, spanId: SPAN, isSampled: false })
  // A later version may have other flags, and more behind them.
  assert.deepEqual(readTraceparent(`cc-${TRACE}-${SPAN}-03-what`), { traceId: TRACE, spanId: SPAN, isSampled: true })
})

test('what is no traceparent is none', () => {
  for (const text of [
    '',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-what`,
    `cc-${TRACE}-${SPAN}-01what`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    ` 00-${TRACE}-${SPAN}-01`,
  ])
    assert.equal(readTraceparent(text), undefined, text)
})

test('what is written is read, and names its trace', () => {
  const written = writeTraceparent({ traceId: TRACE, spanId: SPAN, isSampled: true })
  assert.equal(written, `00-${TRACE}-${SPAN}-01`)
  assert.equal(traceIdOf(written), TRACE)
})

test('every process finds the same id for the span of a delivery, and another for that of another', () => {
  const written = `00-${TRACE}-${SPAN}-01`
  assert.equal(deliverySpanId(written, 1, '10'), 'effee0b2a82d73fd')
  assert.notEqual(deliverySpanId(written, 1, '11'), deliverySpanId(written, 1, '10'))
  assert.notEqual(deliverySpanId(written, 2, '10'), deliverySpanId(written, 1, '10'))
})
