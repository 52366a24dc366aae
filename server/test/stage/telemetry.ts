import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before } from 'node:test'
import type { Collector } from './collector.ts'
import { PosternProcess } from './postern-process.ts'

/** Processes in a folder, which end with each test. */
export function setProcesses() {
  let folder: string
  const started: PosternProcess[] = []
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postern-processes-'))
  })
  afterEach(async () => void (await Promise.all(started.splice(0).map((postern) => postern.end('SIGKILL')))))
  after(() => rm(folder, { recursive: true }))
  return {
    folder: () => folder,
    begin(environment: Record<string, string>, command?: readonly string[]) {
      const postern = new PosternProcess(environment, folder, command)
      started.push(postern)
      return postern
    },
  }
}

/** Sends spans to a collector at once, and metrics at the end alone. */
export const sendingTo = ({ url }: Pick<Collector, 'url'>, more: Record<string, string> = {}) => ({
  POSTERN_DATABASE_URL: 'sqlite::memory:',
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_BSP_SCHEDULE_DELAY: '10',
  ...more,
})
