import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CountedCallback, type CountingReceiver, startCountingReceiver } from '../counting-receiver.ts'
import { demo, subscribe } from '../demo-client.ts'
import { createSource, type Source } from './load.ts'
import { type Member, type MemberOptions, startMember } from './member.ts'

const LIVE_USER = '101'
/** Every so-manieth delivery is refused, so that there are retries. */
const FAIL_EVERY = 10

/** Processes with all roles on one database, and a webhook that hears of one user. */
export interface Alike extends AsyncDisposable {
  members: readonly Member[]
  receiver: CountingReceiver
  live: CountedCallback
  source: Source
}

export async function startAlike(count: number, options: Pick<MemberOptions, 'databaseUrl' | 'hasOwnWay'>): Promise<Alike> {
  await using begun = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'postern-faults-'))
  begun.defer(() => rm(folder, { recursive: true, force: true }))
  const receiver = begun.use(await startCountingReceiver(demo.secret))
  const members: Member[] = []
  for (let n = 0; n < count; n += 1) members.push(begun.use(await startMember({ ...options, folder })))
  const live = receiver.callback('/live', FAIL_EVERY)
  await subscribe(members[0]!.origins, live.url, LIVE_USER)
  const owned = begun.move()
  return {
    members,
    receiver,
    live,
    source: createSource(LIVE_USER, 'dm.received', [live]),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
