import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Origins } from '../../src/assemble.ts'
import { call } from './call.ts'
import { migratedDatabase, type TestDatabase } from './database.ts'
import { demoToken, messages, publish } from './demo-client.ts'
import { PosternProcess } from './postern-process.ts'

interface Member {
  postern: PosternProcess
  origins: Origins
}

const lives = ({ postern: { child } }: Member) => child.exitCode === null && child.signalCode === null

/** Deletes the webhooks of a test, so that its receivers get nothing more. */
async function forgetWebhooks({ origins }: Member) {
  const token = await demoToken(origins)
  const webhooks = await call(`${origins.base_url}/2/webhooks`, 'GET', { token })
  for (const { id } of webhooks.body.data) await call(`${origins.base_url}/2/webhooks/${id}`, 'DELETE', { token })
}

/** Two processes that share a PostgreSQL, for each test of a file; those that a test leaves alive serve the next one. */
export function setTwoAtWork() {
  let shared: TestDatabase
  /** The processes that live. */
  let members: Member[] = []
  before(async () => {
    shared = await migratedDatabase('postgres')
  })
  after(async () => {
    await Promise.all(members.map(({ postern }) => postern.end('SIGKILL')))
    await shared[Symbol.asyncDispose]()
  })

  async function startMember(): Promise<Member> {
    const postern = new PosternProcess({ POSTERN_DATABASE_URL: shared.url }, '/tmp')
    return { postern, origins: await postern.ready() }
  }

  return async function twoAtWork() {
    members = [...members, ...(await Promise.all(Array.from({ length: 2 - members.length }, startMember)))]
    const [one, other] = members as [Member, Member]
    const logged = members.map(({ postern }) => postern.lines.length)
    return {
      processes: [one.postern, other.postern] as const,
      origins: one.origins,
      otherOrigins: other.origins,
      databaseUrl: shared.url,
      /** What the one or the other has logged since. */
      linesOf: (place: 0 | 1) => members[place]!.postern.lines.slice(logged[place]),
      [Symbol.asyncDispose]: async () => {
        // A test that failed may have left one frozen.
        for (const { postern } of members) postern.child.kill('SIGCONT')
        members = members.filter(lives)
        await forgetWebhooks(members[0]!)
      },
    }
  }
}

/** What a process asked before it was frozen is too late when it wakes: that is refused, with nothing accepted. */
export async function publishUntilAccepted(origins: Origins, count: number) {
  let answer = await publish(origins, messages('101', count))
  while (answer.status === 503) answer = await publish(origins, messages('101', count))
  assert.equal(answer.status, 202, answer.text)
  return answer
}
