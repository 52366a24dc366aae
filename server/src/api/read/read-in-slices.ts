import { endOfTurn } from '../../lib/clock.ts'
import type { Caller } from '../declare/auth.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import { LARGE_BODY_BYTES } from '../declare/host-limits.ts'
import type { RawRequest } from '../declare/raw-request.ts'
import { memberFrame, slicesOf } from './cut-list.ts'

/** So much of a body is read without letting others pass; the item that it ends in is read with it. */
const SLICE_BYTES = 128 * 1024

type Read = (request: RawRequest, caller?: Caller) => Record<string, unknown>

/**
 * Reads the parameters of large bodies, and lets everybody else pass again and again: a body is cut into small ones with some of the items
 * of `slicedList` each, and `read` reads each of these as it would read any body. What is not such a body, or would be refused, is left:
 * `read` says what is wrong with it as a whole. Undefined for an endpoint without a `slicedList`.
 */
export function compileReadInSlices({ slicedList, params }: Endpoint, read: Read, largeBytes = LARGE_BODY_BYTES, sliceBytes = SLICE_BYTES) {
  if (slicedList === undefined) return undefined
  const frame = memberFrame(slicedList)
  const { maxItems = Number.POSITIVE_INFINITY } = params[slicedList] as { maxItems?: number }

  const readSlices = async (request: RawRequest, whole: Buffer, caller?: Caller) => {
    const items: unknown[] = []
    let values: Record<string, unknown> = {}
    for (const body of slicesOf(whole, frame, sliceBytes)) {
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
