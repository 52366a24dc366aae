/** An item that makes a slice larger than this is left to who reads the body as a whole. */
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

/** The texts around the items of a list: of the body that is cut, and of the slices. */
interface ListFrame {
  /** Matches up to the `[` of the list. */
  opening: RegExp
  /** Matches from its `]`. */
  closing: RegExp
  before: string
  after: string
}

const SPACE = '[ \t\r\n]*'

/** A body that is a list. */
export const listFrame: ListFrame = {
  opening: new RegExp(`^${SPACE}\\[`),
  closing: new RegExp(`^\\]${SPACE}$`),
  before: '[',
  after: ']',
}

/** A body that is an object with the list `name` and no other member. */
export const memberFrame = (name: string): ListFrame => ({
  opening: new RegExp(`^${SPACE}{${SPACE}"${name}"${SPACE}:${SPACE}\\[`),
  closing: new RegExp(`^\\]${SPACE}}${SPACE}$`),
  before: `{"${name}":[`,
  after: ']}',
})

/**
 * Cuts the text of a list into such texts with some of the items each. Of what is not JSON, at least one of these is not JSON either.
 * Throws at any other text.
 */
export function* slicesOf(body: Buffer, { opening, closing, before, after }: ListFrame, sliceBytes: number): Generator<Buffer> {
  const frame = (at: number) => body.subarray(at, at + FRAME_BYTES).toString('latin1')
  const opened = opening.exec(frame(0))
  if (!opened) throw new Error('not such a list')
  let end = opened[0].length - 1
  do {
    const start = end + 1
    end = endOfSlice(body, start, sliceBytes)
    yield Buffer.concat([Buffer.from(before), body.subarray(start, end), Buffer.from(after)])
  } while (body[end] === COMMA)
  if (body.length - end > FRAME_BYTES || !closing.test(frame(end))) throw new Error('not such a list')
}
