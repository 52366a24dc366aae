import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainError, explainTimeout, isClosedByPeer, type Step } from '../../src/delivery/send/explain-error.ts'
import { SendFailure } from '../../src/delivery/send/outcome.ts'
import { InvalidResponse } from '../../src/delivery/send/response/parsing.ts'

const PEER = 'a.example (192.0.2.1:443)'
const error = (message: string, more: object = {}) => Object.assign(new Error(message), more)
const ofSsl = (reason: string) => error(`error:0A00:SSL routines::${reason}`, { code: 'ERR_SSL_X', reason })
const handshake = (why: string) => `tls: the TLS handshake with ${PEER} failed: ${why}`
const invalid = (why: string) => `protocol: the response from ${PEER} is not valid HTTP/1.1: ${why}`

const explained = (cause: Error, step: Step) => {
  const { stage, message } = explainError(cause, { step, peer: PEER })
  return `${stage}: ${message}`
}

const ERRORS: readonly [cause: Error, step: Step, says: string][] = [
  [ofSsl('wrong version number'), 'handshaking', handshake('what answers there does not speak TLS')],
  [ofSsl('packet length too long'), 'handshaking', handshake('what answers there does not speak TLS')],
  [ofSsl('unsupported protocol'), 'handshaking', handshake('it offers neither TLS 1.2 nor TLS 1.3')],
  [ofSsl('tlsv1 alert protocol version'), 'handshaking', handshake('it offers neither TLS 1.2 nor TLS 1.3')],
  [ofSsl('tlsv1 unrecognized name'), 'handshaking', handshake('it has no certificate for this name')],
  [ofSsl('ssl/tls alert handshake failure'), 'handshaking', handshake('it has no certificate, or no cipher in common with us')],
  [ofSsl('tlsv1 alert no application protocol'), 'handshaking', handshake('it does not offer HTTP/1.1')],
  [
    ofSsl('tlsv13 alert certificate required'),
    'waiting',
    handshake('it asks for a client certificate, and callbacks are sent without one'),
  ],
  [ofSsl('another reason'), 'reading', handshake('another reason')],
  [error('closed', { code: 'ECONNRESET' }), 'handshaking', handshake('the connection was closed in the middle of it')],
  [error('something else'), 'handshaking', handshake('something else')],

  [error('x', { code: 'ECONNREFUSED' }), 'connecting', `connection_refused: the connection was refused by ${PEER}: nothing listens there`],
  [
    new AggregateError([error('x', { code: 'ECONNREFUSED' }), error('x', { code: 'ECONNREFUSED' })]),
    'connecting',
    `connection_refused: the connection was refused by ${PEER}: nothing listens there`,
  ],
  [
    new AggregateError([error('x', { code: 'ECONNREFUSED' }), error('x', { code: 'ETIMEDOUT' })]),
    'connecting',
    `connection_failed: no connection to ${PEER}: nothing answered`,
  ],
  [error('x', { code: 'ECONNRESET' }), 'connecting', `connection_failed: no connection to ${PEER}: the connection was reset at once`],
  [error('x', { code: 'EHOSTUNREACH' }), 'connecting', `connection_failed: no connection to ${PEER}: no route to the host`],
  [error('x', { code: 'ENETUNREACH' }), 'resolving', `connection_failed: no connection to ${PEER}: no route to the network`],
  [error('x', { code: 'EOTHER' }), 'connecting', `connection_failed: no connection to ${PEER}: EOTHER`],
  [error('without a code'), 'connecting', `connection_failed: no connection to ${PEER}: without a code`],

  ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].flatMap((code): [Error, Step, string][] => [
    [error('x', { code }), 'waiting', `connection_lost: the connection was closed by ${PEER} before an answer came`],
    [error('x', { code }), 'reading', `connection_lost: the connection was closed by ${PEER} in the middle of the answer`],
  ]),
  [new InvalidResponse('Invalid header token'), 'waiting', invalid('Invalid header token')],
  [new InvalidResponse('Invalid character in chunk size'), 'reading', invalid('Invalid character in chunk size')],
]

test('every error of an attempt is explained by its stage, its peer and a reason', () => {
  for (const [cause, step, says] of ERRORS) assert.equal(explained(cause, step), says)
})

test('an explained failure stays as it is', () => {
  const failure = new SendFailure('timeout', 'late')
  assert.equal(explainError(failure, { step: 'waiting', peer: PEER }), failure)
})

test('a connection is taken for closed by its peer only if it was closed or reset', () => {
  for (const code of ['ECONNRESET', 'EPIPE']) assert.equal(isClosedByPeer(error('x', { code })), true)
  for (const code of ['ETIMEDOUT', 'ERR_SSL_X']) assert.equal(isClosedByPeer(error('x', { code })), false)
  assert.equal(isClosedByPeer(new InvalidResponse('x')), false)
})

test('a timeout says what was being done', () => {
  const DOING: readonly [step: Step, isSending: boolean, doing: string][] = [
    ['resolving', false, `resolving the name ${PEER}`],
    ['connecting', false, `connecting to ${PEER}`],
    ['handshaking', true, `doing the TLS handshake with ${PEER}`],
    ['waiting', true, `sending the request to ${PEER}, which does not read it`],
    ['waiting', false, `waiting for the answer's headers from ${PEER}`],
    ['reading', true, `reading the answer's body from ${PEER}`],
  ]
  for (const [step, isSending, doing] of DOING) {
    const { stage, message } = explainTimeout(5000, { step, peer: PEER }, isSending)
    assert.deepEqual([stage, message], ['timeout', `timed out after 5000 ms while ${doing}`])
  }
})
