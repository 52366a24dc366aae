import type { Origins } from '../../../src/assemble.ts'
import { call } from '../call.ts'
import { demoToken, messages } from '../demo-client.ts'
import { OPERATOR_TOKEN } from '../postern.ts'
import { PosternProcess } from '../postern-process.ts'
import { type SilentProxy, startSilentProxy } from '../silent-proxy.ts'

/** An answer that takes longer is given up, as a client would. */
const PATIENCE_MS = 15_000

/** One process of those that share a database, with its way to it. */
export interface Member extends AsyncDisposable {
  readonly process: PosternProcess
  readonly origins: Origins
  /** Stands between the process and PostgreSQL. */
  readonly proxy?: SilentProxy
  /** Kills the process and starts another in its place. */
  replace(): Promise<void>
  /** Calls an operator endpoint; undefined when no answer came. */
  operator(method: string, path: string, json?: unknown): Promise<number | undefined>
  /** Whether it reads and accepts now. */
  serves(): Promise<boolean>
}

interface MemberOptions {
  databaseUrl: string
  folder: string
}

/** Undefined instead of an error: the process may be frozen, or gone. */
const statusOf = (answering: Promise<{ status: number }>) =>
  Promise.race([
    answering.then(
      ({ status }) => status,
      () => undefined,
    ),
    new Promise<undefined>((resolve) => void setTimeout(() => resolve(undefined), PATIENCE_MS).unref()),
  ])

async function wayTo(databaseUrl: string): Promise<{ url: string; proxy?: SilentProxy }> {
  if (!databaseUrl.startsWith('postgres')) return { url: databaseUrl }
  const url = new URL(databaseUrl)
  const proxy = await startSilentProxy(Number(url.port))
  url.port = String(proxy.port)
  return { url: url.href, proxy }
}

export async function startMember({ databaseUrl, folder }: MemberOptions): Promise<Member> {
  const { url, proxy } = await wayTo(databaseUrl)
  const environment = {
    POSTERN_DATABASE_URL: url,
    POSTERN_RETRY_PLAN: '200ms,200ms,200ms,1s,1s,1s,5s,5s,5s,5s,5s,5s',
    POSTERN_RATE_LIMITS: 'off',
  }
  let process: PosternProcess
  let origins: Origins
  let token: string

  const start = async () => {
    process = new PosternProcess(environment, folder)
    origins = await process.ready()
    token = await demoToken(origins)
  }

  await start()
  const operator = (method: string, path: string, json?: unknown) =>
    statusOf(call(`${origins.operator_url}${path}`, method, { token: OPERATOR_TOKEN, json }))
  return {
    get process() {
      return process
    },
    get origins() {
      return origins
    },
    proxy,
    async replace() {
      await process.end('SIGKILL')
      await start()
    },
    operator,
    async serves() {
      const reads = await statusOf(call(`${origins.base_url}/2/webhooks`, 'GET', { token }))
      const accepts = await operator('POST', '/operator/events', { events: messages('999', 1) })
      return reads === 200 && accepts === 202
    },
    async [Symbol.asyncDispose]() {
      process.child.kill('SIGCONT')
      await process.end('SIGKILL')
      await proxy?.[Symbol.asyncDispose]()
    },
  }
}
