import { describeDifferences, type SeedReport } from '../endpoints/operator/seed/load-seed.ts'
import type { SeedDocument } from '../endpoints/operator/seed/seed-document.ts'
import type { Base } from './parts.ts'

/** The metadata key of the hash of the seed that a start has loaded completely. */
const LOADED_SEED = 'loaded_seed'

export interface StartSeed {
  /** Loads the seed, unless this database has had it: then it is loaded again later. */
  load(): Promise<void>
  /** Once the server is ready: brings back what was deleted since, and warns of what differs. */
  loadAgain(): void
  /** Resolves when nothing is loaded any more. */
  settled(): Promise<void>
}

/** What a start does with its seed. To compare one with what it made before takes a sixth of a start, and nobody has to wait for it. */
export function createStartSeed(
  { seed, seedHash, storage, activity, logger }: Base,
  load: (document: SeedDocument) => Promise<SeedReport>,
): StartSeed {
  let isKnown = false
  let loading: Promise<void> | undefined

  const compare = async () => {
    const differences = seed && describeDifferences(await storage.repeatably(() => load(seed)))
    if (differences) logger.warn(differences)
  }

  return {
    async load() {
      isKnown = seedHash !== undefined && (await storage.metadata.get(LOADED_SEED)) === seedHash
      if (isKnown) return
      await compare()
      if (seedHash !== undefined) await storage.metadata.setUnsynced(LOADED_SEED, seedHash)
    },
    loadAgain() {
      if (!isKnown) return
      loading ??= activity.track(compare().catch((error) => logger.error({ err: error }, 'the seed could not be loaded again')))
    },
    settled: async () => loading,
  }
}
