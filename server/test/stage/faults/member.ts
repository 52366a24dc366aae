import { type Role, roleNames } from '../../../src/storage/roles.ts'
import { call } from '../call.ts'
import { demoToken, messages } from '../demo-client.ts'
import { OPERATOR_TOKEN } from '../postern.ts'
import { type RoleProcess, type RoleProcessOptions, startRole } from '../role-process.ts'
import { type SilentProxy, startSilentProxy } from '../silent-proxy.ts'

/** An answer that takes longer is given up, as a client would. */
const PATIENCE_MS = 15_000

/** How processes under faults are set. */
export const MEMBER_SETTINGS = {
  POSTERN_RETRY_PLAN: '200ms,200ms,200ms,1s,1s,1s,5s,5s,5s,5s,5s,5s',
  POSTERN_RATE_LIMITS: 'off',
}

/** One process of those that share a database, with its way to it. */
export interface Member extends AsyncDisposable {
  readonly roles: readonly Role[]
  readonly process: RoleProcess['process']
  readonly origins: RoleProcess['origins']
  /** Stands between the process and PostgreSQL, where each process has a way of its own. */
  readonly proxy?: SilentProxy
  /** Kills the process and starts another in its place, with what is its alone. */
  replace(more?: Pick<RoleProcessOptions, 'command'>): Promise<void>
  /** Calls an operator endpoint; undefined when no answer came. */
  operator(method: string, path: string, json?: unknown): Promise<number | undefined>
  /** Whether it reads and accepts now, as far as its roles go. */
  serves(): Promise<boolean>
}

export interface MemberOptions {
  databaseUrl: string
  folder: string
  /** All unless said. */
  roles?: readonly Role[]
  environment?: Record<string, string>
  /** It has a way to PostgreSQL of its own, which can be made silent. */
  hasOwnWay?: boolean
  /** Called once it was killed, before another is started in its place. */
  killed?(): Promise<void>
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

export async function startMember({
  databaseUrl,
  folder,
  roles = roleNames,
  environment = {},
  hasOwnWay = true,
  killed,
}: MemberOptions): Promise<Member> {
  const { url, proxy } = hasOwnWay ? await wayTo(databaseUrl) : { url: databaseUrl }
  const isCalled = roles.includes('api')
  let started: RoleProcess
  let token: string

  const start = async (more: Pick<RoleProcessOptions, 'command'> = {}) => {
    started = await startRole(url, roles, { folder, ...more, environment: { ...MEMBER_SETTINGS, ...environment } })
  }

  await start()
  if (isCalled) token = await demoToken(started!.origins)
  const operator = (method: string, path: string, json?: unknown) =>
    statusOf(call(`${started.operator}${path}`, method, { token: OPERATOR_TOKEN, json }))
  return {
    roles,
    get process() {
      return started.process
    },
    get origins() {
      return started.origins
    },
    ...(proxy && { proxy }),
    async replace(more) {
      await started.process.end('SIGKILL')
      await killed?.()
      await start(more)
    },
    operator,
    async serves() {
      if (!isCalled) return (await operator('GET', '/readyz')) === 200
      const reads = await statusOf(call(`${started.general}/2/webhooks`, 'GET', { token }))
      const accepts = await operator('POST', '/operator/events', { events: messages('999', 1) })
      return reads === 200 && accepts === 202
    },
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]()
      await proxy?.[Symbol.asyncDispose]()
    },
  }
}
