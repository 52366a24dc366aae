import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ffmpegFrame } from '../../../src/endpoints/media/poster/ffmpeg-frame.ts'
import { createClock } from '../../../src/lib/clock.ts'
import { inspectMedia } from '../../../src/lib/media-inspection/inspect-media.ts'
import { fileOf, mediaFixture } from '../../stage/media-fixtures.ts'

for (const name of ['wide.mp4', 'square.mp4', 'upright.mov', 'fragmented.mp4'])
  test(`ffmpeg decodes the first frame of ${name}`, async () => {
    const file = fileOf(mediaFixture(name))
    const { width, height } = await inspectMedia(file)
    const frame = await ffmpegFrame('/usr/bin/ffmpeg', file, createClock())
    assert.deepEqual(await inspectMedia(fileOf(frame)), { kind: 'image', mime: 'image/jpeg', width, height })
  })
