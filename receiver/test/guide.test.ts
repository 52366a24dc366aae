import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { blocksIn, challenges, guide, type Runtime, verifierAgrees } from './stage/guide.ts'

const javascript: Runtime = async (verifier, asked) => {
  const { isSigned, answerChallenge } = await import(`data:text/javascript,${encodeURIComponent(verifier)}`)
  return asked.map(({ secret, header, bodyBase64, crcToken }) =>
    crcToken === undefined ? isSigned(header, Buffer.from(bodyBase64!, 'base64'), secret) : answerChallenge(crcToken, secret),
  )
}

suite('the verifier of the guide "Receive an event" agrees with every vector', () => verifierAgrees('js', javascript))

test('the guide has a block of code for each of four languages, and its example is a vector', () => {
  for (const language of ['js', 'python', 'php', 'ruby']) assert.equal(blocksIn(language).length, 1, language)
  const example = /"response_token": "(sha256=[^"…]+)"/.exec(guide)?.[1]
  assert.ok(challenges.some(({ response_token }) => response_token === example))
})
