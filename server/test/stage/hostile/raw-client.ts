import { connect, type Socket } from 'node:net'

/** An answer as it came over the wire. */
export interface WireAnswer {
  status: number
  /** By their names in lower case. */
  headers: Record<string, string>
  body: Buffer
}

const BLANK_LINE = '\r\n\r\n'

function headersOf(lines: string[]): Record<string, string> {
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]))
}

/** An answer without a body says no length (RFC 9110, section 8.6). */
const NO_CONTENT = 204

/** The first whole answer in some bytes, and where the next begins. Throws when it is not one, or does not say how long it is. */
function takeAnswer(bytes: Buffer, isHead: boolean): { answer: WireAnswer; end: number } | undefined {
  const headEnd = bytes.indexOf(BLANK_LINE)
  if (headEnd < 0) return undefined
  const [first = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
  if (Number.isNaN(status)) throw new Error(`not an answer: ${first}`)
  const headers = headersOf(lines)
  const bodyAt = headEnd + BLANK_LINE.length
  if ((status >= 100 && status < 200) || status === NO_CONTENT) return { answer: { status, headers, body: Buffer.alloc(0) }, end: bodyAt }
  if (!/^\d+$/.test(headers['content-length'] ?? '')) throw new Error(`an answer of no length: ${first}`)
  const end = bodyAt + (isHead ? 0 : Number(headers['content-length']))
  return end > bytes.length ? undefined : { answer: { status, headers, body: bytes.subarray(bodyAt, end) }, end }
}

/** All whole answers in some bytes; interim ones are left out. */
export function takeAnswers(bytes: Buffer, isHead: boolean): WireAnswer[] {
  const taken = takeAnswer(bytes, isHead)
  if (!taken) return []
  const rest = takeAnswers(bytes.subarray(taken.end), isHead)
  return taken.answer.status < 200 ? rest : [taken.answer, ...rest]
}

/** One connection at a time to a server, on which bytes are sent as they are. */
export function createRawClient(origin: string, timeoutMs: number) {
  const { hostname, port } = new URL(origin)
  let socket: Socket | undefined

  const open = () => {
    const opened = connect(Number(port), hostname).on('error', () => {})
    opened.setNoDelay(true)
    return opened
  }

  const drop = () => {
    socket?.destroy()
    socket = undefined
  }

  /** Resolves with what `enough` takes from the bytes that came, asked at each piece and once more at the end. */
  const receive = <T>(from: Socket, enough: (bytes: Buffer, isEnd: boolean) => T | undefined) =>
    new Promise<T>((resolve, reject) => {
      let bytes: Buffer = Buffer.alloc(0)
      const look = (isEnd: boolean) => {
        try {
          const found = enough(bytes, isEnd)
          if (found === undefined && !isEnd) return
          done()
          if (found === undefined) reject(new Error(`closed before an answer, after [${bytes.toString('latin1').slice(0, 200)}]`))
          else resolve(found)
        } catch (error) {
          done()
          reject(error)
        }
      }
      const onData = (piece: Buffer) => {
        bytes = bytes.length === 0 ? piece : Buffer.concat([bytes, piece])
        look(false)
      }
      const onClose = () => look(true)
      const timer = setTimeout(() => {
        done()
        reject(new Error(`no answer within ${timeoutMs} ms`))
      }, timeoutMs)
      const done = () => {
        clearTimeout(timer)
        from.off('data', onData).off('close', onClose)
      }
      from.on('data', onData).on('close', onClose)
    })

  /** Sends a request that others may follow; answers what came back. */
  async function ask(bytes: Buffer, isHead: boolean): Promise<WireAnswer[]> {
    if (!socket || socket.destroyed || !socket.writable || socket.readableEnded) socket = open()
    const received = receive(socket, (got) => {
      const answers = takeAnswers(got, isHead)
      return answers.length > 0 ? answers : undefined
    })
    socket.write(bytes)
    const answers = await received
    if (answers.at(-1)!.headers.connection?.toLowerCase() === 'close') drop()
    return answers
  }

  /**
   * Sends a last request on a connection of its own; answers all that came back until the other side closed. This side ends once it has
   * an answer, or, when the request is cut, at once.
   */
  async function askLast(bytes: Buffer, isHead: boolean, isCut: boolean): Promise<WireAnswer[]> {
    const own = open()
    const received = receive(own, (got, isEnd) => {
      const answers = takeAnswers(got, isHead)
      if (answers.length > 0) own.end()
      return isEnd ? answers : undefined
    })
    own.write(bytes)
    if (isCut) own.end()
    return received.finally(() => own.destroy())
  }

  return { ask, askLast, close: drop }
}
