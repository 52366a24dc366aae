// The one thread that touches the file of the log. Messages are worked off in the order in which they were sent, and answered in it.
import { DatabaseSync } from 'node:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { nameDamage } from '../../files/damage.ts'
import { openSchema } from './schema.ts'
import { createWriter, type Writer } from './writer.ts'

export interface Call {
  verb: keyof Writer
  argument: unknown
}

/** The code of SQLite does not cross over with its error. */
export type Reply = { value: unknown } | { error: unknown; errcode: number | undefined }

/** Every buffer that goes over is given away. */
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

/** Messages that come before the file is open wait for it. */
async function serve(port: MessagePort, path: string) {
  const writer = await open(path)
  const answer = ({ verb, argument }: Call): Reply => {
    try {
      return { value: (writer[verb] as (argument: unknown) => unknown)(argument) }
    } catch (error) {
      return { error: nameDamage(error, 'event log', path), errcode: (error as { errcode?: number }).errcode }
    }
  }
  port.on('message', (call: Call) => {
    const reply = answer(call)
    port.postMessage(reply, 'value' in reply ? buffersOf(reply.value) : [])
    if (call.verb === 'close') port.close()
    else writer.afterwards()
  })
}

if (parentPort) await serve(parentPort, workerData.path)
