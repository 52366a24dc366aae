import { type OperatorApi, unlessGone } from './operator-api.ts'

/** A state to come back to. A server keeps ten. */
export interface Snapshot extends AsyncDisposable {
  id: string
  created_at: string
  size_bytes: number
  /** Deletes it, as `await using` does. One that is gone already is no error. */
  remove(): Promise<void>
}

/** What a handle of the kit knows of the server's data, which a reset and a restore replace. */
export interface Memory {
  /** What it knows now. Kept with a snapshot. */
  remember(): unknown
  /**
   * The data are other ones. `remembered` is what it knew when the snapshot was taken; undefined after a reset, and for a snapshot that another
   * handle took. `inboxes` are the ids of those that are left.
   */
  recall(remembered: unknown, inboxes: ReadonlySet<string>): void
}

type Taken = Pick<Snapshot, 'id' | 'created_at' | 'size_bytes'>

const snapshotsOf = async (api: OperatorApi) => (await api.call<{ data: Taken[] }>('GET', '/operator/snapshots')).data

const inboxesOf = async (api: OperatorApi) => {
  const { data } = await api.call<{ data: { id: string }[] }>('GET', '/operator/inboxes')
  return new Set(data.map(({ id }) => id))
}

/** Resets a server, takes snapshots of it and goes back to them. All that the kit knows of its data follows. */
export function createSnapshots(api: OperatorApi) {
  const memories = new Set<Memory>()
  const remembered = new Map<string, Map<Memory, unknown>>()

  const recallAll = async (of?: ReadonlyMap<Memory, unknown>) => {
    const inboxes = await inboxesOf(api)
    for (const memory of memories) memory.recall(of?.get(memory), inboxes)
  }

  return {
    /** Has a handle follow resets and restores, until what it returns is called. */
    follow(memory: Memory): () => void {
      memories.add(memory)
      return () => void memories.delete(memory)
    },
    async snapshot(): Promise<Snapshot> {
      const { data } = await api.call<{ data: Taken }>('POST', '/operator/snapshots', {})
      remembered.set(data.id, new Map([...memories].map((memory) => [memory, memory.remember()])))
      const remove = async () => {
        remembered.delete(data.id)
        await unlessGone(api.call('DELETE', `/operator/snapshots/${data.id}`))
      }
      return { ...data, remove, [Symbol.asyncDispose]: remove }
    },
    async restore(snapshot: Pick<Snapshot, 'id'> | string): Promise<void> {
      const id = typeof snapshot === 'string' ? snapshot : snapshot?.id
      const ids = (await snapshotsOf(api)).map((one) => one.id)
      if (!ids.includes(id))
        throw new Error(
          `there is no snapshot ${id}: ${ids.length > 0 ? `there are ${ids.join(', ')}` : '`await postern.snapshot()` takes one'}`,
        )
      await api.call('POST', `/operator/snapshots/${id}/restore`, {})
      await recallAll(remembered.get(id))
    },
    async reset(): Promise<void> {
      await api.call('POST', '/operator/reset', {})
      await recallAll()
    },
  }
}

export type Snapshots = ReturnType<typeof createSnapshots>
