import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspectMedia } from '../../../src/lib/media-inspection/inspect-media.ts'
import { UnusableMedia } from '../../../src/lib/media-inspection/inspected.ts'
import { cases } from '../../stage/cases.ts'
import { fileOf, mediaFixture } from '../../stage/media-fixtures.ts'
import { createRandom } from '../../stage/random.ts'

const ROUNDS = cases(200, 1500)
/** What inspection reads of a small file at most: its kind, its head, its end, and its parts in pieces. */
const MAX_READ = 1024 * 1024

/** Numbers that parsers trip over. */
const awkward = [0x00, 0x01, 0x07, 0x08, 0x7f, 0x80, 0xfe, 0xff]

/** Changes some bytes, most of them near the head, where the numbers are. */
function damage(bytes: Buffer, random: () => number) {
  const changes = 1 + Math.floor(random() * 8)
  for (let change = 0; change < changes; change += 1) {
    const at = Math.floor(random() ** 2 * bytes.length)
    const length = random() < 0.2 ? 4 : 1
    bytes.fill(
      random() < 0.5 ? Math.floor(random() * 256) : awkward[Math.floor(random() * awkward.length)]!,
      at,
      Math.min(at + length, bytes.length),
    )
  }
}

const names = ['photo.jpg', 'photo.png', 'photo.webp', 'animated.gif', 'wide.mp4', 'square.mp4', 'upright.mov', 'fragmented.mp4']

for (const name of names)
  test(`${name}, damaged at random, is inspected or refused with a sentence`, async () => {
    const random = createRandom(0x9e3779b9)
    for (let round = 0; round < ROUNDS; round += 1) {
      const bytes = mediaFixture(name)
      damage(bytes, random)
      const file = fileOf(bytes)
      const inspected = await inspectMedia(file).catch((error: unknown) => error)
      if (inspected instanceof UnusableMedia) assert.match(inspected.message, /^The .+\.$/)
      else assert.ok(inspected instanceof Object && 'width' in inspected, `round ${round}: ${String(inspected)}`)
      assert.ok(file.bytesRead() < MAX_READ, `round ${round}: ${file.bytesRead()} bytes`)
    }
  })
