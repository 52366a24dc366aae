import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathOf } from '../../api/declare/raw-request.ts'
import { createServer } from '../../lib/node-http.ts'
import type { CallbackAnswer, CallbackRequest } from './answer-callback.ts'

/** More than the largest event that is accepted. */
const MAX_BODY_BYTES = 1024 * 1024
const HOST = '127.0.0.1'
const FOLDER = '/inboxes/'

/** Answers a request for the inbox of an id; undefined if there is none. */
export type AnswerInbox = (inboxId: string, request: CallbackRequest) => Promise<CallbackAnswer | undefined>

/** The HTTP listener of all inboxes: on loopback, on a free port. It opens with the first inbox. */
export interface InboxListener {
  /** The callback URL of an inbox. */
  urlOf(inboxId: string): Promise<string>
  /** What all these URLs begin with; undefined before the first. */
  callbacksBeginWith(): string | undefined
  close(): Promise<void>
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > MAX_BODY_BYTES) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function write(response: ServerResponse, { status, body }: CallbackAnswer) {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes)
}

const TOO_LARGE: CallbackAnswer = { status: 413, body: { message: 'The body is too large.' } }
/** 410 makes Postern challenge the webhook at once, which then becomes invalid. */
const GONE: CallbackAnswer = { status: 410, body: { message: 'There is no such inbox.' } }
const BROKEN: CallbackAnswer = { status: 500, body: { message: 'The inbox could not take this.' } }

/** `signatureHeader` in lower case, in the served dialect. */
export function createInboxListener(signatureHeader: string, answerInbox: AnswerInbox): InboxListener {
  let opening: Promise<Server> | undefined
  let start: string | undefined

  const answer = async (request: IncomingMessage): Promise<CallbackAnswer> => {
    const target = request.url ?? '/'
    const path = pathOf(target)
    if (!path.startsWith(FOLDER)) return GONE
    const body = await bodyOf(request)
    if (body === undefined) return TOO_LARGE
    const sent = request.headers[signatureHeader]
    const asked = { method: request.method ?? '', target, signature: Array.isArray(sent) ? sent[0] : sent, body }
    return (await answerInbox(path.slice(FOLDER.length), asked)) ?? GONE
  }

  const open = () =>
    new Promise<Server>((resolve, reject) => {
      const server = createServer((request, response) => {
        answer(request)
          .catch(() => BROKEN)
          .then((answered) => write(response, answered))
          .catch(() => response.destroy())
      })
      // The hosts keep the process alive, where it is to stay.
      server.unref().on('connection', (socket) => socket.unref())
      server.once('error', reject).listen(0, HOST, () => resolve(server))
    })

  return {
    async urlOf(inboxId) {
      opening ??= open()
      const { port } = (await opening).address() as AddressInfo
      start = `http://${HOST}:${port}${FOLDER}`
      return start + inboxId
    },
    callbacksBeginWith: () => start,
    async close() {
      const server = await opening?.catch(() => undefined)
      opening = undefined
      if (!server) return
      await new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      })
    },
  }
}
