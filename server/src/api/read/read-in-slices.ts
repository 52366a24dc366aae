import { endOfTurn } from '../../lib/clock.ts'
import type { Caller } from '../declare/auth.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import { LARGE_BODY_BYTES } from '../declare/host-limits.ts'
import type { RawRequest } from '../declare/raw-request.ts'

/** So much of a body is read without letting others pass; the item that it ends in is read with it. */
const SLICE_BYTES = 128 * 1024
/** A body with an item that makes a slice larger than this is read as a whole. */
const MAX_SLICE_BYTES = 1024 * 1024
/** What comes before the first item and after the last is not longer than this. */
const FRAME_BYTES = 256

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c

/**
 * Where the items that begin at `start` are cut: at the first comma between two of them after `sliceBytes`, or where their list ends.
 * Throws when neither comes.
 */
function endOfSlice(body: Buffer, start: number, sliceBytes: number): number {
  const last = Math.min(body.length, start + MAX_SLICE_BYTES)
  let depth = 0
  let isInString = false
  for (let at = start; at < last; at += 1) {
    const byte = body[at]
    if (isInString) {
      if (byte === BACKSLASH) at += 1
      else isInString = byte !== QUOTE
      continue
    }
    switch (byte) {
      case QUOTE:
        isInString = true
        break
      case COMMA:
        if (depth === 0 && at - start >= sliceBytes) return at
        break
      case 0x5b: // [
      case 0x7b: // {
        depth += 1
        break
      case 0x5d: // ]
      case 0x7d: // }
        if (depth === 0) return at
        depth -= 1
    }
  }
  throw new Error('no end of a slice')
}

/**
 * Cuts the text of an object that has the list `name` and no other member into such objects with some of the items each. Of what is not
 * JSON, at least one of these is not JSON either. Throws at any other text.
 */
function* slicesOf(body: Buffer, name: string, sliceBytes: number): Generator<Buffer> {
  const frame = (at: number) => body.subarray(at, at + FRAME_BYTES).toString('latin1')
  const opening = new RegExp(`^[ \t\r\n]*{[ \t\r\n]*"${name}"[ \t\r\n]*:[ \t\r\n]*\\[`).exec(frame(0))
  if (!opening) throw new Error('not such an object')
  let end = opening[0].length - 1
  do {
    const start = end + 1
    end = endOfSlice(body, start, sliceBytes)
    yield Buffer.concat([Buffer.from(`{"${name}":[`), body.subarray(start, end), Buffer.from(']}')])
  } while (body[end] === COMMA)
  if (body.length - end > FRAME_BYTES || !/^\][ \t\r\n]*}[ \t\r\n]*$/.test(frame(end))) throw new Error('not such an object')
}

type Read = (request: RawRequest, caller?: Caller) => Record<string, unknown>

/**
 * Reads the parameters of large bodies, and lets everybody else pass again and again: a body is cut into small ones with some of the items
 * of `slicedList` each, and `read` reads each of these as it would read any body. What is not such a body, or would be refused, is left:
 * `read` says what is wrong with it as a whole. Undefined for an endpoint without a `slicedList`.
 */
export function compileReadInSlices({ slicedList, params }: Endpoint, read: Read, largeBytes = LARGE_BODY_BYTES, sliceBytes = SLICE_BYTES) {
  if (slicedList === undefined) return undefined
  const { maxItems = Number.POSITIVE_INFINITY } = params[slicedList] as { maxItems?: number }

  const readSlices = async (request: RawRequest, whole: Buffer, caller?: Caller) => {
    const items: unknown[] = []
    let values: Record<string, unknown> = {}
    for (const body of slicesOf(whole, slicedList, sliceBytes)) {
      values = read({ ...request, body }, caller)
      const some = values[slicedList] as unknown[]
      if (some.length === 0 || items.length + some.length > maxItems) throw new Error('nothing between two commas, or too many items')
      for (const item of some) items.push(item)
      await endOfTurn()
    }
    return { ...values, [slicedList]: items }
  }

  return {
    isFor: ({ body }: RawRequest) => body !== null && body.length > largeBytes,
    /** Undefined when it is to be read as a whole. */
    read: (request: RawRequest, caller?: Caller) => readSlices(request, request.body!, caller).catch(() => undefined),
  }
}
