import type { OperatorApi } from './operator-api.ts'
import type { Postern, Snapshot } from './postern.ts'

/** Takes snapshots of a server and goes back to them. */
export const createSnapshots = (api: OperatorApi): Pick<Postern, 'snapshot' | 'restore'> => ({
  snapshot: async () => (await api.call<{ data: Snapshot }>('POST', '/operator/snapshots', {})).data,
  async restore(snapshot) {
    const id = typeof snapshot === 'string' ? snapshot : snapshot?.id
    const { data } = await api.call<{ data: Snapshot[] }>('GET', '/operator/snapshots')
    const ids = data.map((one) => one.id)
    if (!ids.includes(id))
      throw new Error(
        `there is no snapshot ${id}: ${ids.length > 0 ? `there are ${ids.join(', ')}` : '`await postern.snapshot()` takes one'}`,
      )
    await api.call('POST', `/operator/snapshots/${id}/restore`, {})
  },
})
