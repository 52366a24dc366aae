import type { Logger } from 'pino'
import { type Setting, type Settings, settingsTable } from '../settings/setting-table.ts'
import { SettingsError } from '../settings/settings.ts'
import { SHARED_SETTINGS } from '../storage/metadata.ts'
import type { Storage } from '../storage/storage.ts'

const shared = Object.entries<Setting<unknown>>(settingsTable).filter(([, { shared: how }]) => how !== undefined)

/** One that is unset differs from one that is set. */
const print = (value: unknown) => JSON.stringify(value ?? null)

/** Those settings of a process that others on its database have alike, as JSON by variable. Never a secret. */
export const printShared = (settings: Settings): string =>
  JSON.stringify(Object.fromEntries(shared.map(([name, { variable }]) => [variable, print(settings[name as keyof Settings])])))

/** The variables that differ: those that must not, and the others. A variable that only one of two versions knows differs from nothing. */
function differing(own: string, others: string): { mustNot: string[]; shouldNot: string[] } {
  const [here, there] = [own, others].map((text) => JSON.parse(text) as Record<string, string | undefined>)
  const found = shared.filter(([, { variable }]) => variable in here! && variable in there! && here![variable] !== there![variable])
  const named = (wanted: Setting<unknown>['shared']) =>
    found.filter(([, { shared: how }]) => how === wanted).map(([, { variable }]) => variable)
  return { mustNot: named('must'), shouldNot: named('should') }
}

/**
 * What the others were started with, as it is now: those that start together open the database before any of them has recorded its own.
 * Where nothing was recorded, the first of them does.
 */
async function recordedBy(own: string, { sharedSettings, hasPeers, metadata }: Storage): Promise<string | undefined> {
  if (sharedSettings === undefined) return metadata.setIfAbsent(SHARED_SETTINGS, own)
  return hasPeers ? metadata.get(SHARED_SETTINGS) : sharedSettings
}

/**
 * Compares the settings of this process with those of the others on its database. Throws where data would be wrong, warns where clients
 * would find two different servers, and records its own for those that start later. Alone it only records them.
 */
export async function agreeOnSettings({ settings, logger }: { settings: Settings; logger: Logger }, storage: Storage): Promise<void> {
  const own = printShared(settings)
  const recorded = await recordedBy(own, storage)
  if (recorded === own) return
  const hasOthers = storage.hasPeers || storage.sharedSettings === undefined
  if (recorded !== undefined && hasOthers) {
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
  await storage.metadata.set(SHARED_SETTINGS, own)
}
