import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { createSegmentSweeper } from '../../src/endpoints/media/upload/segments.ts'
import { createClock } from '../../src/lib/clock.ts'
import type { MediaFiles } from '../../src/storage/media-files.ts'
import type { Uploads } from '../../src/storage/uploads.ts'
import { pause } from '../stage/pause.ts'

const MINUTE = 60_000

test('the store of media is first swept minutes after the start, and every hour from then on', async () => {
  const waits: number[] = []
  let swept = 0
  const due: (() => void)[] = []
  const clock = {
    ...createClock(),
    after(ms: number, run: () => void) {
      waits.push(ms)
      due.push(run)
      return { cancel() {} }
    },
  }
  const mediaFiles = {
    async sweep() {
      swept += 1
    },
    list: async () => [] as string[],
  } as unknown as MediaFiles
  const sweeper = createSegmentSweeper({ uploads: {} as Uploads, mediaFiles, clock, logger: pino({ level: 'silent' }) })
  sweeper.start()
  assert.deepEqual([swept, waits], [0, [5 * MINUTE]])
  due[0]!()
  while (waits.length < 2) await pause()
  assert.deepEqual([swept, waits], [1, [5 * MINUTE, 60 * MINUTE]])
  await sweeper.stop()
})
