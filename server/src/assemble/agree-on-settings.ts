import type { Logger } from 'pino'
import { type Settings, SettingsError } from '../settings/settings.ts'
import { differing, printShared } from '../settings/shared-settings.ts'
import { SHARED_SETTINGS } from '../storage/metadata.ts'
import type { Storage } from '../storage/storage.ts'

/**
 * Compares the settings of this process with those of the others on its database. Throws where data would be wrong, warns where clients
 * would find two different servers, and records its own for those that start later. Alone it only records them.
 */
export async function agreeOnSettings({ settings, logger }: { settings: Settings; logger: Logger }, storage: Storage): Promise<void> {
  const own = printShared(settings)
  const { sharedSettings: recorded, hasPeers, metadata } = storage
  if (recorded === own) return
  if (recorded !== undefined && hasPeers) {
    const { mustNot, shouldNot } = differing(own, recorded)
    if (mustNot.length > 0)
      throw new SettingsError(
        mustNot.map((name) => `${name} differs from that of the processes that share this database: set it alike, or stop them first`),
      )
    if (shouldNot.length > 0)
      logger.warn(
        { settings: shouldNot },
        'settings differ from those of the processes that share this database: restart those, or set them alike',
      )
  }
  await metadata.set(SHARED_SETTINGS, own)
}
