import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { type Asked, runtimes, type Said } from './stage/runtimes.ts'

interface Vectors {
  signatures: { name: string; secret: string; body?: string; body_base64?: string; header: string; valid: boolean }[]
  challenges: { name: string; secret: string; crc_token: string; response_token?: string }[]
}

const read = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8')

const { signatures, challenges }: Vectors = JSON.parse(read('webhook-vectors.json'))

const questions: { name: string; asked: Asked; expected: Said }[] = [
  ...signatures.map(({ name, secret, header, body, body_base64, valid }) => ({
    name,
    expected: valid,
    asked: { secret, header, bodyBase64: body_base64 ?? Buffer.from(body!).toString('base64') },
  })),
  ...challenges.map(({ name, secret, crc_token, response_token }) => ({
    name,
    expected: response_token === undefined ? null : { response_token },
    asked: { secret, crcToken: crc_token },
  })),
]

/** The block of code of the guide in this language; there is one. */
function verifierIn(language: string): string {
  const blocks = [...read('receive.md').matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))]
  assert.equal(blocks.length, 1, language)
  return blocks[0]![1]!
}

suite('the verifiers of the guide "Receive an event" agree with every vector', () => {
  for (const [language, run] of Object.entries(runtimes))
    test(language, async () => {
      const said = await run(
        verifierIn(language),
        questions.map(({ asked }) => asked),
      )
      const wrong = questions.filter(({ expected }, place) => JSON.stringify(said[place]) !== JSON.stringify(expected))
      assert.deepEqual(
        wrong.map(({ name }) => name),
        [],
      )
      assert.equal(said.length, questions.length)
    })
})

test('the guide has a block of code for each of four languages, and its example is a vector', () => {
  assert.deepEqual(Object.keys(runtimes), ['js', 'python', 'php', 'ruby'])
  const example = /"response_token": "(sha256=[^"…]+)"/.exec(read('receive.md'))?.[1]
  assert.ok(challenges.some(({ response_token }) => response_token === example))
})
