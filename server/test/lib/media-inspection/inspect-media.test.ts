import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspectMedia } from '../../../src/lib/media-inspection/inspect-media.ts'
import { UnusableMedia } from '../../../src/lib/media-inspection/inspected.ts'
import { cases } from '../../stage/cases.ts'
import { box, contentsOf, fileOf, mediaFixture } from '../../stage/media-fixtures.ts'

const MiB = 1024 * 1024

/** What inspection says of the bytes. */
const inspect = (bytes: Uint8Array) => inspectMedia(fileOf(bytes))

/** The sentence about a file that is refused. */
async function refusalOf(bytes: Uint8Array): Promise<string> {
  const error = await inspect(bytes).then(
    (inspected) => assert.fail(`it passed: ${JSON.stringify(inspected)}`),
    (caught: unknown) => caught,
  )
  if (!(error instanceof UnusableMedia)) throw error
  return error.message
}

const size = { width: 64, height: 48 }
const wide = { kind: 'video', width: 320, height: 180, aspectRatio: [16, 9] }

const real: Record<string, unknown> = {
  'photo.jpg': { kind: 'image', mime: 'image/jpeg', ...size },
  'photo.png': { kind: 'image', mime: 'image/png', ...size },
  'photo.webp': { kind: 'image', mime: 'image/webp', ...size },
  'animated.gif': { kind: 'gif', mime: 'image/gif', ...size, isAnimated: true, durationMs: 500 },
  'still.gif': { kind: 'gif', mime: 'image/gif', ...size, isAnimated: false },
  'wide.mp4': { ...wide, mime: 'video/mp4', durationMs: 2000 },
  'square.mp4': { kind: 'video', mime: 'video/mp4', width: 240, height: 240, durationMs: 1000, aspectRatio: [1, 1] },
  'upright.mov': { kind: 'video', mime: 'video/quicktime', width: 180, height: 320, durationMs: 1000, aspectRatio: [9, 16] },
  'fragmented.mp4': { ...wide, mime: 'video/mp4', durationMs: 1000 },
}

for (const [name, expected] of Object.entries(real))
  test(`${name} is told by its contents`, async () => {
    assert.deepEqual(await inspect(mediaFixture(name)), expected)
  })

const NOT_MEDIA = 'The file is not a JPEG, PNG, WEBP, GIF, MP4 or MOV.'

test('what is no media is refused by what it is', async () => {
  assert.equal(await refusalOf(Buffer.alloc(0)), 'The file is empty.')
  assert.equal(await refusalOf(Buffer.from('hello')), NOT_MEDIA)
  assert.equal(await refusalOf(Buffer.from('<!doctype html><script>alert(1)</script>')), NOT_MEDIA)
  assert.match(await refusalOf(Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>')), /^The file is XML /)
  assert.match(await refusalOf(Buffer.from('%PDF-1.7\n')), /^The file is PDF \(application\/pdf\), not a JPEG, PNG/)
  assert.match(await refusalOf(mediaFixture('clip.webm')), /^The file is WEBM \(video\/webm\), not a JPEG, PNG/)
  assert.equal(await refusalOf(mediaFixture('sound.mp4')), 'The file has no video track.')
})

/** A fixture with a number written over some of its bytes. */
function changed(name: string, at: (bytes: Buffer) => number, write: (bytes: Buffer, at: number) => void): Buffer {
  const bytes = mediaFixture(name)
  write(bytes, at(bytes))
  return bytes
}

const SIDES = '60000 x 60000 pixels. Each side must have 4 to 8192 pixels.'
const bothUInt16BE = (bytes: Buffer, at: number) => bytes.writeUInt16BE(60_000, bytes.writeUInt16BE(60_000, at))

test('60,000 x 60,000 pixels are refused, in every kind', async () => {
  const png = changed(
    'photo.png',
    (bytes) => contentsOf(bytes, 'IHDR'),
    (bytes, at) => bytes.writeUInt32BE(60_000, bytes.writeUInt32BE(60_000, at)),
  )
  const jpg = changed('photo.jpg', (bytes) => bytes.indexOf(Buffer.from([0xff, 0xc0])) + 5, bothUInt16BE)
  const gif = changed(
    'animated.gif',
    () => 6,
    (bytes, at) => bytes.writeUInt16LE(60_000, bytes.writeUInt16LE(60_000, at)),
  )
  const mp4 = changed(
    'wide.mp4',
    (bytes) => contentsOf(bytes, 'tkhd') + 76,
    (bytes, at) => bytes.writeUInt16BE(60_000, bytes.writeUInt16BE(60_000, at) + 2),
  )
  assert.equal(await refusalOf(png), `The image is ${SIDES}`)
  assert.equal(await refusalOf(jpg), `The image is ${SIDES}`)
  assert.equal(await refusalOf(gif), `The GIF is ${SIDES}`)
  assert.equal(await refusalOf(mp4), `The video is ${SIDES}`)
})

test('10 hours are refused', async () => {
  const long = changed(
    'wide.mp4',
    (bytes) => contentsOf(bytes, 'mvhd') + 16,
    (bytes, at) => bytes.writeUInt32BE(36_000_000, at),
  )
  assert.equal(await refusalOf(long), 'The video is 10 hours long. It must be at most 4 hours long.')
})

test('a JPEG of stray bytes, or of segments without end, is given up after a few', async () => {
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xe0])
  const strays = Buffer.concat([head, Buffer.alloc(100_000)])
  const segments = Buffer.concat([head, Buffer.from('0002ffe0'.repeat(25_000), 'hex')])
  for (const bytes of [strays, segments]) assert.match(await refusalOf(bytes), /^The JPEG is damaged: its size cannot be read\.$/)
})

test('a JPEG is turned as its EXIF says', async () => {
  const tiff = Buffer.from('MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0', 'latin1')
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
  const head = Buffer.from([0xff, 0xe1, 0, body.length + 2])
  const photo = mediaFixture('photo.jpg')
  const turned = Buffer.concat([photo.subarray(0, 2), head, body, photo.subarray(2)])
  assert.deepEqual(await inspect(turned), { kind: 'image', mime: 'image/jpeg', width: 48, height: 64 })
})

/** Cut off between two frames or fragments these are whole: a GIF may lack its trailer, fragments have an index behind them. */
const mayEndEarly = ['animated.gif', 'still.gif', 'fragmented.mp4']
const everyFixture = [...Object.keys(real), 'sound.mp4', 'clip.webm']

/** Headers at either end are cut at every third byte, and what is between them at few; in the slow lane all is at every one. */
const NEAR_END = 400
const STEP_NEAR_END = cases(3, 1)
const STEP = cases(31, 1)
const isCutAt = (length: number, size: number) => length % (length < NEAR_END || length > size - NEAR_END ? STEP_NEAR_END : STEP) === 0

for (const name of everyFixture)
  test(`${name}, cut off at any byte, is refused with a sentence`, async () => {
    const whole = mediaFixture(name)
    for (let length = 0; length < whole.length; length += 1) {
      if (!isCutAt(length, whole.length)) continue
      const inspected = await inspect(whole.subarray(0, length)).catch((error: unknown) => error)
      if (inspected instanceof UnusableMedia) assert.match(inspected.message, /^The .+\.$/)
      else assert.ok(mayEndEarly.includes(name) && 'width' in (inspected as object), `${length} bytes: ${String(inspected)}`)
    }
  })

test('boxes that claim more than the file has are refused', async () => {
  const head = box('ftyp', Buffer.from('isom\0\0\0\0'))
  const claiming = (size: number, type: string) => {
    const bytes = box(type)
    bytes.writeUInt32BE(size)
    return Buffer.concat([head, bytes])
  }
  assert.equal(await refusalOf(claiming(0xffff_ffff, 'moov')), 'The video is cut off: upload the whole file.')
  assert.equal(await refusalOf(claiming(7, 'moov')), 'The video is damaged: a part of it is shorter than its header.')
  const large = Buffer.concat([head, Buffer.from([0, 0, 0, 1]), Buffer.from('mdat'), Buffer.alloc(8, 0xff)])
  assert.equal(await refusalOf(large), 'The video is cut off: upload the whole file.')
})

test('a million boxes, and boxes in boxes without end, are refused after reading little', async () => {
  const head = box('ftyp', Buffer.from('isom\0\0\0\0'))
  const many = fileOf(Buffer.concat([head, Buffer.alloc(8_000_000, box('free'))]))
  await assert.rejects(inspectMedia(many), { message: 'The video has more than 4096 parts. Export it again.' })
  assert.ok(many.bytesRead() < MiB, `${many.bytesRead()} bytes`)

  const nested = Buffer.alloc(8 * 100_000)
  for (let at = 0; at < nested.length; at += 8) {
    nested.writeUInt32BE(nested.length - at, at)
    nested.write(['moov', 'trak', 'mdia'][(at / 8) % 3]!, at + 4, 'latin1')
  }
  assert.match(await refusalOf(Buffer.concat([head, nested, box('mdat')])), /^The (video|file) /)
})

test('tables that claim four billion entries cost nothing', async () => {
  for (const type of ['stsz', 'stts', 'stsc', 'stco', 'ctts'])
    for (const name of ['wide.mp4', 'square.mp4']) {
      const bytes = mediaFixture(name)
      if (!bytes.includes(type, 0, 'latin1')) continue
      bytes.fill(0xff, contentsOf(bytes, type) + 4, contentsOf(bytes, type) + 12)
      assert.deepEqual(await inspect(bytes), real[name])
    }
})

test('fragments that claim four billion frames are refused as too long', async () => {
  const bytes = mediaFixture('fragmented.mp4')
  const run = contentsOf(bytes, 'trun')
  bytes.writeUInt32BE(0xffff_ffff, run + 4)
  assert.match(await refusalOf(bytes), /^The video is \d+(\.\d)? hours long/)
})

test('a GIF of millions of empty parts is read once, in pieces', async () => {
  const gif = mediaFixture('still.gif')
  const comment = Buffer.concat([Buffer.from([0x21, 0xfe]), Buffer.alloc(8 * MiB, 1), Buffer.from([0])])
  const file = fileOf(Buffer.concat([gif.subarray(0, gif.length - 1), comment, Buffer.from([0x3b])]))
  const inspected = await inspectMedia(file)
  assert.equal(inspected.kind, 'gif')
  assert.ok(file.bytesRead() < 9 * MiB, `${file.bytesRead()} bytes`)
})

test('a GIF of small blocks alone, and one larger than any may be, are refused after reading little', async () => {
  const head = Buffer.from('GIF89a\x10\0\x10\0\0\0\0', 'latin1')
  const empty = Buffer.from([0x21, 1, 0])
  const many = fileOf(Buffer.concat([head, Buffer.alloc(14 * MiB, empty)]))
  await assert.rejects(inspectMedia(many), { message: 'The GIF has more than 40000 blocks. Export it again.' })
  assert.ok(many.bytesRead() < MiB, `${many.bytesRead()} bytes`)
  const large = fileOf(Buffer.concat([head, Buffer.alloc(15 * MiB + 1 - head.length, empty)]))
  await assert.rejects(inspectMedia(large), { message: 'The GIF has 15728641 bytes. It must have at most 15728640 (15 MB).' })
  assert.ok(large.bytesRead() < MiB, `${large.bytesRead()} bytes`)
})

/** A fixture whose header says that the movie takes one unit of time. */
const hurried = (name: string) =>
  changed(
    name,
    (bytes) => contentsOf(bytes, 'mvhd') + 16,
    (bytes, at) => bytes.writeUInt32BE(1, at),
  )

test('a video is as long as the longest of what its header, its track and its fragments say', async () => {
  assert.deepEqual(await inspect(hurried('wide.mp4')), real['wide.mp4'])
  assert.deepEqual(await inspect(hurried('fragmented.mp4')), real['fragmented.mp4'])
  const long = hurried('wide.mp4')
  const track = contentsOf(long, 'mdhd')
  long.writeUInt32BE(long.readUInt32BE(track + 12) * 36_000, track + 16)
  assert.equal(await refusalOf(long), 'The video is 10 hours long. It must be at most 4 hours long.')
})

test('a video of thousands of parts is read in few pieces, and refused where these would be many', async () => {
  const near = fileOf(Buffer.concat([mediaFixture('wide.mp4'), ...Array.from({ length: 2400 }, () => box('free', Buffer.alloc(1000)))]))
  assert.deepEqual(await inspectMedia(near), real['wide.mp4'])
  assert.ok(near.reads() < 50, `${near.reads()} reads`)
  // Parts of 100 KB, of which the file has only the headers.
  const part = 100 * 1024
  let reads = 0
  const head = mediaFixture('wide.mp4')
  const far = {
    size: head.length + 4000 * part,
    async read(from: number, to: number) {
      reads += 1
      const bytes = Buffer.alloc(to - from)
      if (from < head.length) head.copy(bytes, 0, from)
      for (let at = head.length; at < to; at += part) {
        const header = box('free')
        header.writeUInt32BE(part)
        if (at >= from) header.copy(bytes, at - from)
      }
      return bytes
    },
  }
  await assert.rejects(inspectMedia(far), { message: 'The video has too many parts to be read. Export it again.' })
  assert.ok(reads < 2100, `${reads} reads`)
})

test('of a video of 512 MB, with its header at the end, little is read', async () => {
  const square = mediaFixture('square.mp4')
  const header = square.subarray(contentsOf(square, 'moov') - 8)
  const start = Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0')), box('mdat')])
  start.writeUInt32BE(512 * MiB, 16)
  const headerAt = 16 + 512 * MiB
  let read = 0
  let reads = 0
  const inspected = await inspectMedia({
    size: headerAt + header.length,
    async read(from, to) {
      read += to - from
      reads += 1
      const bytes = Buffer.alloc(to - from)
      if (from < start.length) start.copy(bytes, 0, from)
      if (to > headerAt) header.copy(bytes, Math.max(0, headerAt - from), Math.max(0, from - headerAt))
      return bytes
    },
  })
  assert.deepEqual(inspected, real['square.mp4'])
  assert.ok(read < 256 * 1024 && reads < 5, `${read} bytes in ${reads} reads`)
})
