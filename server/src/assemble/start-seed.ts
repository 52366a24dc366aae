import { describeDifferences, type SeedReport } from '../endpoints/operator/seed/load-seed.ts'
import type { SeedDocument } from '../endpoints/operator/seed/seed-document.ts'
import { hmac } from '../lib/crypto.ts'
import { does } from '../settings/roles.ts'
import type { Base } from './parts.ts'

/** The metadata key of the seed that a start has loaded completely: a hash with the sealing secret, because seeds have passwords. */
const LOADED_SEED = 'loaded_seed'

export interface StartSeed {
  /** Loads the seed, unless this database has had it: then it is loaded again later. */
  load(): Promise<void>
  /** Once the server is ready: brings back what was deleted since, and warns of what differs. */
  loadAgain(): void
  /** Resolves when nothing is loaded any more. Nothing is from here on. */
  settled(): Promise<void>
}

/** What a start does with its seed. To compare one with what it made before takes a sixth of a start, and nobody has to wait for it. */
export function createStartSeed(
  { settings, seed, seedHash, secrets, storage, activity, logger }: Base,
  load: (document: SeedDocument) => Promise<SeedReport>,
): StartSeed {
  if (!does(settings.roles, 'operator')) return { load: async () => {}, loadAgain() {}, settled: async () => {} }
  const mark = seedHash === undefined ? undefined : hmac('sha256', secrets[0]!, `${LOADED_SEED} ${seedHash}`).toString('base64url')
  let isKnown = false
  let loading: Promise<void> | undefined

  const compare = async (report: (load: () => Promise<SeedReport>) => Promise<SeedReport>) => {
    const differences = seed && describeDifferences(await report(() => load(seed)))
    if (differences) logger.warn(differences)
  }

  return {
    async load() {
      isKnown = mark !== undefined && (await storage.metadata.get(LOADED_SEED)) === mark
      if (isKnown) return
      // A start that ends in the middle is repeated, so nothing waits for the disk. Later clients write beside it.
      await compare((loading) => storage.repeatably(loading))
      if (mark !== undefined) await storage.metadata.setUnsynced(LOADED_SEED, mark)
    },
    loadAgain() {
      if (!isKnown) return
      loading ??= activity.track(
        compare((loading) => loading()).catch((error) => logger.error({ err: error }, 'the seed could not be loaded again')),
      )
    },
    async settled() {
      isKnown = false
      await loading
    },
  }
}
