import type { Run } from '../benchmark.ts'
import { interleave, type Rate } from '../interleave.ts'
import { type Sampler, startWorker, type Worker } from '../worker.ts'
import { startClients } from './clients.ts'
import { PATH, type StreamArgument } from './fixtures.ts'
import type { LineServerState } from './serve-lines.ts'

type LineWorker = Worker<{ ms?: number }, LineServerState>

/** Starts a server of lines, with clients connected. */
async function startLines(file: string, argument: StreamArgument) {
  const begun = new AsyncDisposableStack()
  const server: LineWorker = begun.use(await startWorker<{ ms?: number }, LineServerState>(file, argument))
  const clients = begun.use(await startClients())
  const { url } = await server.call({})
  await clients.call({ url, path: PATH, tokens: Array.from({ length: argument.connections }, () => 'none') })
  return { sampler: server as unknown as Sampler, [Symbol.asyncDispose]: () => begun.disposeAsync() }
}

/** Postern's streams beside a bare writer of the same bytes. */
export async function measureLines({ config }: Run, argument: StreamArgument): Promise<Record<'postern' | 'bare', Rate>> {
  await using postern = await startLines('postern-lines.ts', argument)
  await using bare = await startLines('bare-lines.ts', argument)
  return await interleave({ postern: postern.sampler, bare: bare.sampler }, config)
}
