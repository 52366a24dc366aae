import { checkNames } from './check-names.ts'
import { createPostern } from './create-postern.ts'
import type { StartedPostern } from './postern.ts'
import type { Seed, SeedApp, StartOptions } from './start-options.ts'
import { createTakeOvers } from './take-over.ts'

const DEFAULT_APP = {
  id: '1',
  name: 'Test',
  callback_urls: ['http://127.0.0.1:3009/cb'],
  permissions: 'read_write_dm',
  sign_in_with_service: true,
  ads_access: true,
  oauth2_client_type: 'confidential',
}

const random = () => crypto.randomUUID().replaceAll('-', '')

/** A new app with its keys. */
const withKeys = (app: SeedApp): SeedApp => ({
  consumer_key: `key-${random()}`,
  consumer_secret: `secret-${random()}${random()}`,
  ...app,
})

/** The seed of a test with what the kit must know of its first app: a missing one, and missing keys, are made. */
function completeSeed(seed: Seed): Seed {
  const [first, ...others] = seed.apps ?? []
  const made = { ...DEFAULT_APP, oauth2_client_id: `client-${random()}`, oauth2_client_secret: `secret-${random()}${random()}` }
  return { ...seed, apps: [withKeys(first ? { id: '1', name: 'Test', ...first } : made), ...others] }
}

const OPTIONS = ['dialect', 'seed', 'database', 'logLevel', 'settings'] satisfies (keyof StartOptions)[]

/**
 * Starts a Postern in this process, on free ports and in memory, which shares nothing with others. `await using` stops it. One that was
 * forgotten does not keep the process alive.
 *
 * @throws TypeError for an option or a setting that there is not, with the nearest.
 *
 * @example
 * await using postern = await startPostern({ dialect: 'x' })
 */
export async function startPostern(options: StartOptions = {}): Promise<StartedPostern> {
  // Says in a sentence that this Node is too old; what comes next would fail without one.
  await import('../../../require-node.js')
  const { checkSettings, startServer } = await import('./start-server.ts')
  checkNames('startPostern', options, OPTIONS)
  const { settings = {} } = options
  checkSettings(settings)
  const { origins, ...server } = await startServer(options, { unheld: true, complete: completeSeed })
  const { base_url: url, ads_base_url: adsUrl, ads_sandbox_base_url: adsSandboxUrl, operator_url: operatorUrl } = origins
  const { log } = server
  try {
    const takeOvers = await createTakeOvers(url)
    const postern = createPostern({ ...server, url, adsUrl, adsSandboxUrl, operatorUrl, takeOvers })
    const stop = async () => {
      await takeOvers.end()
      await server.stop()
    }
    return { ...postern, log, stop, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await server.stop()
    throw error
  }
}
