import type { RunCommand } from '../command.ts'
import { confirm } from '../confirm.ts'
import { EXIT, wrongUsage } from '../failure.ts'
import type { Output } from '../output.ts'
import { timeMs } from '../read-values.ts'
import type { Json, Server } from '../server.ts'

/** All that was due is waited for, each with the deadline of a callback. */
const LONGEST_MS = 600_000

/** One line about what happened: when, what, and the ids that belong to it. */
const happenedLine = ({ at, kind, outcome, ...ids }: Json) =>
  [at, kind, ...Object.entries(ids).map(([name, value]) => `${name}=${value}`), outcome && `→ ${outcome}`].filter(Boolean).join('  ')

/** Until then nobody wonders. */
const SHORT_MS = 1000

/** Tells a person after a while why a call takes long. */
async function saying<T>(out: Output, text: string, call: Promise<T>): Promise<T> {
  const said = setTimeout(() => out.note(text), SHORT_MS)
  try {
    return await call
  } finally {
    clearTimeout(said)
  }
}

const PASSING = 'The clock is passing timer after timer, and waits for what each starts: retries, challenges and other due work …'

async function move(server: Server, out: Output, json: object): Promise<number> {
  const moved = server.operator('POST', '/operator/clock', { json, timeoutMs: LONGEST_MS })
  const { data, meta } = await saying(out, PASSING, moved)
  out.show({ data, ...(meta && { meta }) }, () => [
    ...(data.happened ?? []).map(happenedLine),
    ...(meta?.more ? [`and ${meta.more === true ? 'more' : `${meta.more} more`}`] : []),
    `it is ${data.now}`,
  ])
  return EXIT.done
}

const DURATION = /^\d{1,12}(\.\d{1,6})?(ms|s|m|h|d)$/

export const runAdvance: RunCommand = ({ positionals: [advance] }, { out, server }) => {
  if (!DURATION.test(advance!)) throw wrongUsage(`<duration> is such as 500ms, 90s, 5m, 25h or 2d, and not ${advance}.`)
  return move(server, out, { advance })
}

export const runSet: RunCommand = ({ positionals: [time] }, { out, server }) =>
  move(server, out, { set: new Date(timeMs('<time>', time!)).toISOString() })

/** Goes back to the seed. */
export const runReset: RunCommand = async ({ options }, { out, server }) => {
  const { data: facts } = await server.operator('GET', '/operator/server')
  const target = `the Postern at ${server.operatorUrl} (pid ${facts.pid}, ${facts.database})`
  if (!options.yes && !(await confirm(`postern reset deletes everything of ${target} but its seed.`))) {
    out.note('Nothing was deleted.')
    return EXIT.refused
  }
  const { data } = await server.operator('POST', '/operator/reset', { json: {} })
  out.show({ data }, () => [`Back to the seed: ${target}.`])
  return EXIT.done
}
