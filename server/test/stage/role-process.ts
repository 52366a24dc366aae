import type { Origins } from '../../src/assemble.ts'
import { type Role, roleNames } from '../../src/storage/roles.ts'
import { freePort } from './free-port.ts'
import { PosternProcess } from './postern-process.ts'

/** A process that does a part of the work on a PostgreSQL. */
export interface RoleProcess extends AsyncDisposable {
  readonly roles: readonly Role[]
  readonly process: PosternProcess
  readonly origins: Origins
  /** Where its general host listens, if it has one. */
  readonly general: string
  readonly operator: string
}

/** What each is told of the origin of the processes with the role `api`: tests call each at its own address. */
const BASE = 'http://127.0.0.1:4000'

export interface RoleProcessOptions {
  environment?: Record<string, string>
  command?: readonly string[]
  folder?: string
}

/** Starts a process with these roles, on ports of its own. */
export async function startRole(
  databaseUrl: string,
  roles: readonly Role[],
  { environment = {}, command, folder = '/tmp' }: RoleProcessOptions = {},
): Promise<RoleProcess> {
  const [port, operatorPort] = [await freePort(), await freePort()]
  const own = {
    POSTERN_DATABASE_URL: databaseUrl,
    POSTERN_PORT: String(port),
    POSTERN_OPERATOR_PORT: String(operatorPort),
    POSTERN_BASE_URL: BASE,
    POSTERN_RATE_LIMITS: 'off',
    ...(roles.length < roleNames.length && { POSTERN_ROLES: roles.join(',') }),
  }
  const process = new PosternProcess({ ...own, ...environment }, folder, command)
  const [general, operator] = [port, operatorPort].map((one) => `http://127.0.0.1:${one}`) as [string, string]
  const origins = await process.ready()
  return {
    roles,
    process,
    origins: { ...origins, base_url: general, operator_url: operator },
    general,
    operator,
    [Symbol.asyncDispose]: async () => {
      // A test may have left it frozen.
      process.child.kill('SIGCONT')
      await process.end('SIGKILL')
    },
  }
}
