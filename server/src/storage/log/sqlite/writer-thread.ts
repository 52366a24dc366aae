// The only thread that opens the file of the log. Messages are handled, and replied to, in the order in which they were sent.
import { DatabaseSync } from 'node:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { nameDamage } from '../../files/damage.ts'
import { openSchema } from './schema.ts'
import { createWriter, type Writer } from './writer.ts'

export interface Call {
  verb: keyof Writer
  argument: unknown
}

/** Structured cloning drops `errcode` from an error, so it is sent beside it. */
export type Reply = { value: unknown } | { error: unknown; errcode: number | undefined }

/** The buffers of a reply, which are transferred. */
const buffersOf = (value: unknown) => {
  const packed = (value as { packed?: ArrayBuffer } | undefined)?.packed
  return packed ? [packed] : []
}

async function open(path: string): Promise<Writer> {
  const db = new DatabaseSync(path)
  try {
    return createWriter(db, await openSchema(db), path)
  } catch (error) {
    db.close()
    throw nameDamage(error, 'event log', path)
  }
}

/** Messages that arrive before the file is open wait for it. */
async function serve(port: MessagePort, path: string) {
  const writer = await open(path)
  const handle = ({ verb, argument }: Call): Reply => {
    try {
      return { value: (writer[verb] as (argument: unknown) => unknown)(argument) }
    } catch (error) {
      return { error: nameDamage(error, 'event log', path), errcode: (error as { errcode?: number }).errcode }
    }
  }
  port.on('message', (call: Call) => {
    const reply = handle(call)
    port.postMessage(reply, 'value' in reply ? buffersOf(reply.value) : [])
    if (call.verb === 'close') port.close()
    else writer.runBackgroundWork()
  })
}

if (parentPort) await serve(parentPort, workerData.path)
