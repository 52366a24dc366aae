import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { suite, test } from 'node:test'
import { takeAnswers } from '../stage/hostile/raw-client.ts'
import { limitFile } from '../stage/limit-file.ts'
import { mediaFixture } from '../stage/media-fixtures.ts'
import { authorization } from '../stage/oauth-client.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { adas, signedInSeed } from '../stage/signed-calls.ts'
import { filesOf, uploadCall, V1, v1 } from '../stage/uploads.ts'

const png = mediaFixture('photo.png')

const BOUNDARY = 'between-the-parts'
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`

const part = (head: string, bytes: Buffer | string) =>
  Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n${head}\r\n\r\n`), Buffer.from(bytes), Buffer.from('\r\n')])
const named = (name: string, bytes: Buffer | string, more = '') => part(`Content-Disposition: form-data; name="${name}"${more}`, bytes)
const END = Buffer.from(`--${BOUNDARY}--\r\n`)
const media = named('media', png, '; filename="a.png"\r\nContent-Type: image/png')

interface Sent {
  /** The length that is told; that of the body unless it is another one. */
  length?: number
  type?: string
  signature?: string
}

const headOf = (stage: Stage, body: Buffer, { length = body.length, type = TYPE, signature }: Sent = {}) => {
  const { host, origin } = new URL(stage.origins.base_url)
  const signed = signature ?? authorization({ ...adas, method: 'POST', url: origin + V1, nowMs: stage.clock.now() })
  return `POST ${V1} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${signed}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`
}

const open = (stage: Stage) => {
  const { hostname, port } = new URL(stage.origins.base_url)
  return connect(Number(port), hostname).on('error', () => {})
}

/** Sends a request as it is; answers the first answer, and whether the connection stays open for others. */
async function send(stage: Stage, body: Buffer, sent?: Sent) {
  const socket = open(stage)
  const pieces: Buffer[] = []
  socket.write(headOf(stage, body, sent))
  socket.write(body)
  for (;;) {
    const [answer] = takeAnswers(Buffer.concat(pieces), false)
    if (answer) {
      socket.destroy()
      const { errors = [] } = JSON.parse(answer.body.toString()) as { errors?: { message: string }[] }
      return { status: answer.status, message: errors[0]?.message, isLast: answer.headers.connection === 'close' }
    }
    const [piece] = (await once(socket, 'data')) as [Buffer]
    pieces.push(piece)
  }
}

const untilEmpty = (stage: Stage) => stage.until(async () => (await filesOf(stage)).length === 0)

suite('bodies of uploads', () => {
  test('a body that is broken off anywhere leaves nothing, and others are served', async () => {
    await using stage = await setStage({ seed: signedInSeed })
    const body = Buffer.concat([named('media_category', 'tweet_image'), media, END])
    for (let cut = 0; cut < body.length; cut += 37) {
      const socket = open(stage)
      socket.write(headOf(stage, body))
      socket.write(body.subarray(0, cut))
      await once(socket, 'connect')
      if (cut % 2 === 0) socket.resetAndDestroy()
      else socket.resume().end()
      await once(socket, 'close')
    }
    await untilEmpty(stage)
    assert.equal((await v1(stage, { media: png })).status, 200)
    assert.deepEqual(
      stage.log.filter(({ level }) => level >= 50),
      [],
    )
  })

  test('a large body that is broken off leaves nothing', async () => {
    await using stage = await setStage({ seed: signedInSeed })
    const body = named('media', Buffer.alloc(4 * 1024 * 1024, 'x'))
    const socket = open(stage)
    socket.write(headOf(stage, body, { length: 2 * body.length }))
    socket.write(body)
    await stage.until(async () => (await filesOf(stage)).length > 0)
    socket.destroy()
    await untilEmpty(stage)
  })

  test('a body that is malformed is refused with what is wrong, and leaves nothing', async () => {
    await using stage = await setStage({ seed: signedInSeed })
    const cases: [Buffer, RegExp, Sent?][] = [
      [Buffer.concat([media]), /^The multipart body cannot be read: /],
      [Buffer.concat([named('media_category', 'tweet_image')]), /^The multipart body cannot be read: /],
      [Buffer.from('no parts at all'), /^The multipart body cannot be read: /],
      [Buffer.concat([media, END]), /^The multipart body has no boundary/, { type: 'multipart/form-data' }],
      [Buffer.concat([media, media, END]), /^The multipart body has more than one part of media, media_data\.$/],
      [Buffer.concat([media, named('media_data', 'QUJD'), END]), /^The multipart body has more than one part of media, media_data\.$/],
      [
        Buffer.concat([...Array.from({ length: 33 }, (_, n) => named(`a${n}`, 'b')), media, END]),
        /^The multipart body has more than 32 parts\.$/,
      ],
      [
        Buffer.concat([named('media_category', 'x'.repeat(16_385)), media, END]),
        /^The multipart body has a part "media_category" of more than 16384 bytes\.$/,
      ],
      [
        Buffer.concat([...['a', 'b', 'c', 'd', 'e'].map((name) => named(name, 'x'.repeat(16_384))), media, END]),
        /^The multipart body has parts of more than 65536 bytes together, besides those of media, media_data\.$/,
      ],
      [
        Buffer.concat([named('other', png, '; filename="b.png"'), named('total', 'x'.repeat(20_000), '; filename="c"'), END]),
        /of more than 16384 bytes/,
      ],
      [Buffer.concat([part('Content-Disposition: form-data', 'x'), media, END]), /^The multipart body has a part without a name\.$/],
    ]
    for (const [body, message, sent] of cases) {
      const answer = await send(stage, body, sent)
      assert.equal(answer.status, 400, `${message}: ${JSON.stringify(answer)}`)
      assert.match(answer.message ?? '', message)
    }
    await untilEmpty(stage)
    assert.equal((await v1(stage, { media: png })).status, 200)
  })

  test('what is refused after its bytes came leaves nothing, and its connection goes on', async () => {
    await using stage = await setStage({ seed: signedInSeed })
    const answer = await send(stage, Buffer.concat([media, named('segment_index', 'first'), END]))
    assert.deepEqual([answer.status, answer.isLast], [403, false])
    assert.deepEqual(await filesOf(stage), [])
  })

  test('a caller is refused before the body is read, and so is one who calls too often', async () => {
    const limits = limitFile({ runUploadCommand: 1 })
    await using stage = await setStage({ seed: signedInSeed, environment: { POSTERN_RATE_LIMITS: limits } })
    const nothing = Buffer.alloc(0)
    const wrong = authorization({ ...adas, consumer_secret: 'wrong', method: 'POST', url: stage.origins.base_url + V1 })
    const refused = await send(stage, nothing, { signature: wrong, length: 100_000 })
    assert.deepEqual([refused.status, refused.isLast], [401, true])
    assert.equal((await v1(stage, { media: png })).status, 200)
    const limited = await send(stage, nothing, { length: 100_000 })
    assert.deepEqual([limited.status, limited.isLast], [429, true])
  })

  test('a body that says that it is larger than any file may be is refused before it is read', async () => {
    await using stage = await setStage({ seed: signedInSeed })
    const answer = await send(stage, Buffer.alloc(0), { length: 600 * 1024 * 1024 })
    assert.deepEqual([answer.status, answer.isLast, answer.message], [413, true, 'The request body is larger than 536870912 bytes.'])
  })

  test('base64 in JSON and forms is limited to 8 MB', async () => {
    await using stage = await setStage({ seed: signedInSeed })
    const tooLong = 'A'.repeat(8 * 1024 * 1024)
    assert.equal((await uploadCall(stage, 'POST', '/2/media/upload', { json: { media: tooLong } })).status, 413)
    assert.equal((await uploadCall(stage, 'POST', V1, { form: { media_data: tooLong } })).status, 413)
    const segment = 'A'.repeat(4 * Math.ceil((5 * 1024 * 1024) / 3))
    const refused = await uploadCall(stage, 'POST', '/2/media/upload', { json: { media: segment } })
    assert.match(refused.body.errors[0].message, /^media: /)
  })

  test('a JSON body of millions of values is refused before it is parsed', async () => {
    await using stage = await setStage({ seed: signedInSeed })
    const answer = await uploadCall(stage, 'POST', '/2/media/upload', { json: { media: Array(2_700_000).fill({}) } })
    assert.deepEqual([answer.status, answer.body.errors[0].message], [400, 'The request body has more than 10000 values.'])
  })
})
