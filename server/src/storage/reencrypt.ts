import type { Logger } from 'pino'
import type { Storage } from './storage.ts'
import { logUnlessUnavailable } from './unavailable.ts'

/**
 * After a change of POSTERN_SECRET: seals with the first of the secrets what is sealed with the others, which are needed no longer
 * then. Tells the log what became of it, and never rejects.
 */
export async function reencrypt(storage: Pick<Storage, 'reencrypt'>, secrets: readonly string[], logger: Logger): Promise<void> {
  if (secrets.length < 2) return
  try {
    const { reencrypted, unreadable } = await storage.reencrypt()
    if (unreadable > 0) logger.error({ unreadable }, 'no secret of POSTERN_SECRET opens these values: keep all of its secrets')
    else logger.info({ reencrypted }, 'everything is sealed with the first secret of POSTERN_SECRET: the others can go')
  } catch (error) {
    logUnlessUnavailable(logger, error, 'secrets could not be sealed anew; the next start tries again')
  }
}
