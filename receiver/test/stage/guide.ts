import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

interface Vectors {
  signatures: { name: string; secret: string; body?: string; body_base64?: string; header: string; valid: boolean }[]
  challenges: { name: string; secret: string; crc_token: string; response_token?: string }[]
}

/** What a verifier says of one vector: a verdict on a body in base64, or the answer to a challenge. */
export interface Asked {
  secret: string
  header?: string
  bodyBase64?: string
  crcToken?: string
}
export type Said = boolean | { response_token: string } | null

/** Runs a verifier, as it stands in the guide, on every question. */
export type Runtime = (verifier: string, asked: readonly Asked[]) => Promise<Said[]>

const read = (path: string) => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8')

export const guide = read('receive.md')
export const { signatures, challenges }: Vectors = JSON.parse(read('webhook-vectors.json'))

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

/** The blocks of code of the guide in a language. */
export const blocksIn = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block]) => block!)

/** A test that the verifier of the guide in a language, run by `run`, gives every vector its verdict. */
export function verifierAgrees(language: string, run: Runtime): void {
  test(language, async () => {
    const [verifier] = blocksIn(language)
    const said = await run(
      verifier!,
      questions.map(({ asked }) => asked),
    )
    const wrong = questions.filter(({ expected }, place) => JSON.stringify(said[place]) !== JSON.stringify(expected))
    assert.deepEqual(
      wrong.map(({ name }) => name),
      [],
    )
    assert.equal(said.length, questions.length)
  })
}
