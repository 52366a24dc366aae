import type { Logger } from 'pino'
import type { Storage } from './storage.ts'
import { logUnlessUnavailable } from './unavailable.ts'

/**
 * After a change of POSTERN_SECRET: re-encrypts with the first secret the values that are sealed with another one, so that the others can be
 * removed. Logs the result and never rejects.
 */
export async function reencrypt(storage: Pick<Storage, 'reencrypt'>, secrets: readonly string[], logger: Logger): Promise<void> {
  if (secrets.length < 2) return
  try {
    const { reencrypted, unreadable } = await storage.reencrypt()
    if (unreadable > 0)
      logger.error(
        { unreadable },
        'some values cannot be decrypted with any secret in POSTERN_SECRET: keep them all and find the missing one',
      )
    else
      logger.info(
        { reencrypted },
        're-encryption done: all values use the first secret in POSTERN_SECRET, the other secrets can be removed',
      )
  } catch (error) {
    logUnlessUnavailable(logger, error, 'could not re-encrypt secrets; the next start tries again')
  }
}
