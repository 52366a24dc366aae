import type { RunCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import { timeMs } from '../read-values.ts'
import type { Json, Server } from '../server/server.ts'

/** All that was due is waited for, each with the deadline of a callback. */
const LONGEST_MS = 600_000

/** One line about what happened: when, what, and the ids that belong to it. */
const happenedLine = ({ at, kind, outcome, ...ids }: Json) =>
  [at, kind, ...Object.entries(ids).map(([name, value]) => `${name}=${value}`), outcome && `→ ${outcome}`].filter(Boolean).join('  ')

async function move(server: Server, out: Output, json: object): Promise<number> {
  const { data, meta } = await server.operator('POST', '/operator/clock', { json, timeoutMs: LONGEST_MS })
  out.show({ data, ...(meta && { meta }) }, () => [
    ...(data.happened ?? []).map(happenedLine),
    ...(meta?.more ? [`and ${meta.more === true ? 'more' : `${meta.more} more`}`] : []),
    `it is ${data.now}`,
  ])
  return EXIT.done
}

export const runAdvance: RunCommand = ({ positionals: [advance] }, { out, server }) => move(server, out, { advance })

export const runSet: RunCommand = ({ positionals: [time] }, { out, server }) =>
  move(server, out, { set: new Date(timeMs('<time>', time!)).toISOString() })

/** Goes back to the seed. */
export const runReset: RunCommand = async (_, { out, server }) => {
  const { data } = await server.operator('POST', '/operator/reset', { json: {} })
  out.show({ data }, () => ['Back to the seed.'])
  return EXIT.done
}
