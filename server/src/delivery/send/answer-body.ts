const NOTHING = Buffer.alloc(0)

export interface AnswerBody {
  /** False once there is more than is kept. */
  add(piece: Buffer): boolean
  /** Hands over what is kept and begins anew. */
  take(): Buffer
}

/** A body while it comes, of which at most `mostBytes` are kept. */
export function createAnswerBody(mostBytes: number): AnswerBody {
  let kept: Buffer = NOTHING
  let bytes = 0

  /** Most bodies are one piece, which is taken as it is; several are copied together, so that none is held on to. */
  const add = (piece: Buffer) => {
    if (bytes === 0) kept = piece
    else {
      if (kept.length < mostBytes) kept = Buffer.concat([kept], mostBytes)
      piece.copy(kept, bytes)
    }
    bytes += piece.length
    return bytes <= mostBytes
  }

  const take = () => {
    const taken = bytes === kept.length && bytes <= mostBytes ? kept : kept.subarray(0, Math.min(bytes, mostBytes))
    kept = NOTHING
    bytes = 0
    return taken
  }

  return { add, take }
}
