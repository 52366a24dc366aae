import { checkNames } from './check-names.ts'
import { createPostern } from './create-postern.ts'
import type { StartedPostern } from './postern.ts'
import { completeSeed } from './seed-of-test.ts'
import type { StartOptions } from './start-options.ts'
import { createTakeOvers } from './take-over.ts'

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
  const { seed, settings = {} } = options
  checkSettings(settings)
  const { origins, ...server } = await startServer(
    { ...options, ...(typeof seed === 'object' && { seed: completeSeed(seed) }) },
    { unheld: true },
  )
  const { base_url: url, ads_base_url: adsUrl, ads_sandbox_base_url: adsSandboxUrl, operator_url: operatorUrl } = origins
  const { log } = server
  const takeOvers = await createTakeOvers(url)
  const postern = createPostern({ ...server, url, adsUrl, adsSandboxUrl, operatorUrl, takeOvers })
  const stop = async () => {
    await takeOvers.end()
    await server.stop()
  }
  return { ...postern, log, stop, [Symbol.asyncDispose]: stop }
}
