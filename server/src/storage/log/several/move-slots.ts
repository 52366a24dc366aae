import type { Logger } from 'pino'
import type { Clock } from '../../../lib/clock.ts'
import { type FollowedMap, followLogMap } from '../../follow-log-map.ts'
import { abandon, assign, forget, isInUse, type LogMap, movesFrom, movesTo, type Place, placesOf } from '../../log-map.ts'
import type { MoveRefusal, SeveralLogs } from '../../several-logs.ts'
import type { Storage } from '../../storage.ts'
import type { Member } from './member.ts'

/** A map that several processes change is tried again so often. */
const MOST_TRIES = 20

/** Changes the map by what `change` makes of it; undefined changes nothing. Returns the map as it is then. */
export async function changeMap({ logMap }: Storage, change: (map: LogMap | undefined) => LogMap | undefined): Promise<LogMap | undefined> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const former = await logMap.read()
    const map = change(former)
    if (map === undefined || map === former) return former
    if (await logMap.replace(former, map)) return map
  }
  throw new Error('the map of the event logs is changed by others all the time')
}

interface Options {
  storage: Storage
  members: ReadonlyMap<number, Member>
  clock: Clock
  logger: Logger
}

export interface Slots extends Pick<SeveralLogs, 'add' | 'drain' | 'abandon'>, FollowedMap {
  /** As this process knows them. */
  places(): readonly Place[]
  map(): LogMap
  /** This is the map now, unless a newer one is known. */
  set(map: LogMap): void
  /** Forgets what was moved away from a log and has left it. */
  forgetOld(): Promise<void>
}

/** Knows which log has which slots, follows the changes of others, and moves slots. */
export function createSlots(first: LogMap, { storage, members, clock, logger }: Options): Slots {
  let map = first
  let places: readonly Place[] = placesOf(map)

  const set = (changed: LogMap) => {
    if (changed.epoch < map.epoch) return
    map = changed
    places = placesOf(map)
  }

  const follow = async () => {
    const read = await storage.logMap.read()
    if (read !== undefined) set(read)
  }

  const { stop } = followLogMap({ changes: storage.changes, clock, logger, read: follow })

  const move = async (
    log: number,
    choose: (before: readonly Place[]) => Map<number, number> | undefined,
    isLost = false,
  ): Promise<number | MoveRefusal> => {
    const member = members.get(log)
    if (!member) return 'unknown'
    if (isLost && !member.isAway()) return 'there'
    await follow()
    const moves = choose(places)
    if (moves === undefined) return 'only'
    if (moves.size === 0 && !(isLost && isInUse(map, log))) return 0
    if ([...new Set(moves.values())].some((to) => members.get(to)?.isAway() !== false)) return 'away'
    const changed = isLost ? abandon(map, log, moves, clock.now()) : assign(map, moves, clock.now())
    if (!(await storage.logMap.replace(map, changed))) return 'changed'
    set(changed)
    logger.info({ log, slots: moves.size, epoch: map.epoch }, 'slots of event logs were moved')
    if (isLost) logger.warn({ log, place: member.place }, 'an event log was given up as lost: what it alone had is lost')
    return moves.size
  }

  /** When the oldest event of a log was accepted; null where that is not known. */
  const oldestMs = async (log: number): Promise<number | undefined | null> => {
    const member = members.get(log)
    return !member || member.isAway() ? null : (await member.use().extent(1)).oldestMs
  }

  return {
    places: () => places,
    map: () => map,
    set,
    stop,
    add: (log) => move(log, (before) => movesTo(before, log)),
    drain: (log) => move(log, (before) => movesFrom(before, log)),
    abandon: (log) => move(log, (before) => movesFrom(before, log), true),
    async forgetOld() {
      const former = new Set(places.flatMap((place) => place.former.map(({ log }) => log)))
      if (former.size === 0) return
      const nowMs = clock.now()
      const oldest = new Map<number, number | undefined | null>()
      for (const log of former) oldest.set(log, await oldestMs(log))
      set((await changeMap(storage, (current) => forget(current!, nowMs, (log) => (oldest.has(log) ? oldest.get(log)! : null))))!)
    },
  }
}
