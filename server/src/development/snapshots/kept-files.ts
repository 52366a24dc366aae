import { FOLDERS, type MediaFiles, MissingPart } from '../../storage/media-files.ts'
import type { Snapshots } from '../../storage/snapshots.ts'

export interface KeptFiles {
  files: MediaFiles
  snapshots: Snapshots
}

/** Files of media that snapshots can bring back: one that a snapshot has and that is removed is kept in `folder`. */
export function keepFiles(files: MediaFiles, folder: string): KeptFiles {
  const snapshots = new Map<string, ReadonlySet<string>>()
  const kept = new Set<string>()

  const placeOf = (key: string) => `${folder}${key}`
  const isWanted = (key: string) => [...snapshots.values()].some((keys) => keys.has(key))
  const present = async () => new Set((await Promise.all(FOLDERS.map((each) => files.list(each)))).flat())

  const keep = async (key: string) => {
    try {
      await files.join(placeOf(key), [key])
      kept.add(key)
    } catch (error) {
      if (!(error instanceof MissingPart)) throw error
    }
  }

  const remove = async (keys: readonly string[]) => {
    for (const key of keys) if (!kept.has(key) && isWanted(key)) await keep(key)
    await files.remove(keys)
  }

  const keeping = (all: MediaFiles): MediaFiles => ({ ...all, remove, until: (signal) => keeping(all.until(signal)) })

  return {
    files: keeping(files),
    snapshots: {
      async save(name) {
        // What a former process left.
        if (snapshots.size === 0 && kept.size === 0) await files.remove(await files.list(folder))
        const keys = await present()
        const sizes = await Promise.all([...keys].filter((key) => !isWanted(key)).map((key) => files.size(key)))
        snapshots.set(name, keys)
        return sizes.reduce<number>((sum, size = 0) => sum + size, 0)
      },
      async restore(name) {
        const [now, then] = [await present(), snapshots.get(name) ?? new Set<string>()]
        await remove([...now].filter((key) => !then.has(key)))
        for (const key of then) if (!now.has(key)) await files.join(key, [placeOf(key)])
      },
      async drop(name) {
        snapshots.delete(name)
        const unwanted = [...kept].filter((key) => !isWanted(key))
        for (const key of unwanted) kept.delete(key)
        await files.remove(unwanted.map(placeOf))
      },
    },
  }
}
