import type { LogExtent } from '../../event-log.ts'
import { type ExtentRow, extentOf } from '../extent.ts'
import type { WriterChannel } from './writer-channel.ts'

/** Events that are counted at once: between two slices the thread can commit. */
const SLICE = 10_000

/** Counts events slice by slice. */
export async function readExtent(writer: Pick<WriterChannel, 'call'>, limit: number): Promise<LogExtent> {
  const whole: ExtentRow = { count: 0, oldest: null }
  let after = 0
  while (whole.count < limit) {
    const asked = Math.min(SLICE, limit - whole.count)
    const { count, oldest, newest } = await writer.call('extent', { after, limit: asked })
    whole.count += count
    whole.oldest ??= oldest
    if (count < asked) break
    after = newest!
  }
  return extentOf(whole)
}
