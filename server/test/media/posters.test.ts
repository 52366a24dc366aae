import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { ffmpegFrame } from '../../src/endpoints/media/poster/ffmpeg-frame.ts'
import { createMakePoster } from '../../src/endpoints/media/poster/make-poster.ts'
import { createClock } from '../../src/lib/clock.ts'
import { inspectMedia } from '../../src/lib/media-inspection/inspect-media.ts'
import { fileOf, mediaFixture } from '../stage/media-fixtures.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { program } from '../stage/program.ts'
import { signedInSeed } from '../stage/signed-calls.ts'
import { processed, uploadCall, uploadInSegments } from '../stage/uploads.ts'

/** Uploads a video or GIF; answers the URL of its poster. */
async function posterOf(stage: Stage, name: string, type: string, category: string): Promise<string | undefined> {
  const done = await uploadInSegments(stage, mediaFixture(name), type, { media_category: category })
  const { processing_info: info } = (await processed(stage, done.body.media_id_string)).body
  assert.equal(info.state, 'succeeded')
  const fields = { 'media.fields': 'preview_image_url' }
  const { data } = (await uploadCall(stage, 'GET', `/2/media/${done.body.media_key}`, { query: fields })).body
  return data.preview_image_url
}

const posterOfClip = (stage: Stage, name = 'wide.mp4') => posterOf(stage, name, 'video/mp4', 'tweet_video')

const photo = resolve(import.meta.dirname, '../fixtures/media/photo.jpg')

test('the poster of a GIF is its first frame', async () => {
  await using stage = await setStage({ seed: signedInSeed })
  const url = await posterOf(stage, 'animated.gif', 'image/gif', 'tweet_gif')
  assert.match(url!, /\/media\/16_\d+\/[\w-]{22}\.gif$/)
  const answer = await fetch(url!)
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/gif'])
  const bytes = Buffer.from(await answer.arrayBuffer())
  assert.deepEqual(await inspectMedia(fileOf(bytes)), { kind: 'gif', mime: 'image/gif', width: 64, height: 48, isAnimated: false })
  assert.deepEqual(bytes.subarray(0, -1), mediaFixture('animated.gif').subarray(0, bytes.length - 1))
})

test('a video has no poster without a decoder', async () => {
  await using stage = await setStage({ seed: signedInSeed })
  assert.equal(await posterOfClip(stage), undefined)
})

test('the poster of a video is what the decoder makes of its first frame, with nothing else within its reach', async () => {
  await using decoder = await program(`
    const told = JSON.stringify(args)
    for (const guard of ['"-protocol_whitelist","file"', '"-f","mov"', '"-nostdin"', '"-max_pixels"', '"-max_alloc"', '"-timelimit","10"'])
      if (!told.includes(guard)) process.exit(1)
    if (Object.keys(process.env).length > 0) process.exit(2)
    if (fs.statSync(args[args.indexOf('-i') + 1]).size !== ${mediaFixture('wide.mp4').length}) process.exit(3)
    fs.copyFileSync(${JSON.stringify(photo)}, args.at(-1))`)
  await using stage = await setStage({ seed: signedInSeed, environment: { POSTERN_FFMPEG: decoder.path } })
  const answer = await fetch((await posterOfClip(stage))!)
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/jpeg'])
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), mediaFixture('photo.jpg'))
})

for (const [what, code] of Object.entries({
  fails: 'process.exit(1)',
  'writes nothing': '',
  'writes a page': "fs.writeFileSync(args.at(-1), '<script>')",
  'writes a video': `fs.copyFileSync(${JSON.stringify(resolve(import.meta.dirname, '../fixtures/media/wide.mp4'))}, args.at(-1))`,
}))
  test(`a video succeeds without a poster when the decoder ${what}`, async () => {
    await using decoder = await program(code)
    await using stage = await setStage({ seed: signedInSeed, environment: { POSTERN_FFMPEG: decoder.path } })
    assert.equal(await posterOfClip(stage), undefined)
  })

test('why a decoder failed is logged, once a minute', async () => {
  await using decoder = await program("process.stderr.write('moov atom not found'); process.exitCode = 69")
  const lines: { msg: string; reason: string }[] = []
  const clock = createClock()
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const later = { ...clock, monotonic: () => clock.monotonic() + lateMs }
  let lateMs = 0
  const makePoster = createMakePoster({ ffmpeg: decoder.path, clock: later, logger })
  const file = fileOf(mediaFixture('wide.mp4'))
  const inspected = await inspectMedia(file)
  for (lateMs of [0, 0, 60_000]) assert.equal(await makePoster(file, inspected), undefined)
  const line = ['could not make the poster of a video', 'it ended with 69: moov atom not found']
  assert.deepEqual(
    lines.map(({ msg, reason }) => [msg, reason]),
    [line, line],
  )
})

const leftovers = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('postern-poster-'))

test('a decoder that takes too long is ended, and leaves no file', async () => {
  await using decoder = await program('setInterval(() => {}, 1000)')
  const before = await leftovers()
  const clock = createClock()
  const hurried = { ...clock, after: (_: number, run: () => void) => clock.after(50, run) }
  await assert.rejects(ffmpegFrame(decoder.path, fileOf(mediaFixture('wide.mp4')), hurried), { message: 'it was ended by SIGKILL: ' })
  assert.deepEqual(await leftovers(), before)
})

test('a video whose processing a stop has cut off is processed again after the next start, and has its poster', async () => {
  await using decoder = await program(`
    if (isFirst) setInterval(() => {}, 1000)
    else fs.copyFileSync(${JSON.stringify(photo)}, args.at(-1))`)
  await using stage = await setStage({ seed: signedInSeed, environment: { POSTERN_FFMPEG: decoder.path } })
  const done = await uploadInSegments(stage, mediaFixture('wide.mp4'), 'video/mp4', { media_category: 'tweet_video' })
  await stage.until(decoder.hasRun)
  await stage.stop()
  await stage.start()
  assert.equal((await processed(stage, done.body.media_id_string)).body.processing_info.state, 'succeeded')
  const fields = { 'media.fields': 'preview_image_url' }
  const { data } = (await uploadCall(stage, 'GET', `/2/media/${done.body.media_key}`, { query: fields })).body
  assert.match(data.preview_image_url, /\.jpg$/)
})
