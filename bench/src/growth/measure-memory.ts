import type { Run } from '../benchmark.ts'
import type { Database, Engine } from '../databases.ts'
import { startPostern } from '../postern-process.ts'
import { residentMb } from '../process-status.ts'
import { startReceiver } from '../receiver.ts'

const WEBHOOKS = 100
const AT_ONCE = 10_000

/** Resident memory of a Postern after it has delivered so many events, at each of these numbers. */
export async function measureMemory(engine: Engine, marks: readonly number[], { databases }: Run): Promise<number[]> {
  await using database: Database = await databases.open(engine)
  await using postern = await startPostern({ database })
  await using receiver = await startReceiver(WEBHOOKS)
  await postern.seed({ count: WEBHOOKS, port: receiver.port })
  const residents: number[] = []
  let delivered = 0
  for (const mark of marks) {
    while (delivered < mark) {
      const events = Math.min(AT_ONCE, mark - delivered)
      await postern.publish(events, WEBHOOKS)
      await receiver.receive(events)
      delivered += events
    }
    residents.push(await residentMb(postern.pid))
  }
  return residents
}
