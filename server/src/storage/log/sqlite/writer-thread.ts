// The only thread that opens the file of the log. Messages are handled, and replied to, in the order in which they were sent.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type Call, failed, postReply, type Reply } from '../../../lib/thread-calls.ts'
import { nameDamage } from '../../files/damage.ts'
import { openWriter } from './open-writer.ts'
import type { Writer } from './writer.ts'

/** Messages that arrive before the file is open wait for it. */
async function serve(port: MessagePort, path: string) {
  const writer = await openWriter(path)
  const handle = ({ method, argument }: Call): Reply => {
    try {
      return { value: (writer[method as keyof Writer] as (argument: unknown) => unknown)(argument) }
    } catch (error) {
      return failed(nameDamage(error, 'event log', path))
    }
  }
  port.on('message', (call: Call) => {
    const reply = handle(call)
    postReply(port, reply)
    if (call.method === 'close') port.close()
    else writer.runBackgroundWork()
  })
}

if (parentPort) await serve(parentPort, workerData.path)
