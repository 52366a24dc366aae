import { createZonedCalendar } from '../../../../lib/time.ts'
import type { ScheduledFeed } from '../../../../storage/scheduled-feeds.ts'

export type Schedule = Pick<ScheduledFeed, 'frequency' | 'repeat' | 'startTime' | 'timeZone'>

/** The first day of 1970 was a Thursday. */
export const days = ['THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY'] as const

/** Numbers of hours that divide a day. */
export const hours = ['1', '2', '3', '4', '6', '8', '12'] as const

const DAY_MINUTES = 24 * 60

/** The minutes of a day at which a feed may run. */
function minutesOf({ frequency, repeat, startTime }: Schedule): number[] {
  const [hour, minute] = startTime.split(':').map(Number) as [number, number]
  const start = hour * 60 + minute
  if (frequency !== 'HOURLY') return [start]
  const step = Number(repeat) * 60
  return Array.from({ length: DAY_MINUTES / step }, (_, index) => (start % step) + index * step)
}

const runsOn = ({ frequency, repeat }: Schedule, day: number) => frequency !== 'WEEKLY' || days[day % days.length] === repeat

/** When a feed runs next, after a time in milliseconds since 1970. */
export function nextRunMs(schedule: Schedule, afterMs: number): number {
  const calendar = createZonedCalendar(schedule.timeZone)
  const minutes = minutesOf(schedule)
  const today = calendar.dayOf(afterMs)
  for (let day = today - 1; day <= today + days.length + 1; day++) {
    const moments = runsOn(schedule, day) ? minutes.map((minute) => calendar.momentOf(day, minute)) : []
    const next = moments.find((ms) => ms > afterMs)
    if (next !== undefined) return next
  }
  throw new Error(`no date for ${JSON.stringify(schedule)}`)
}

/** Why `repeat` does not belong to the frequency; undefined if it does. */
export function repeatMistake({ frequency, repeat }: Pick<Schedule, 'frequency' | 'repeat'>): string | undefined {
  if (frequency === 'DAILY') return repeat === null ? undefined : 'repeat must be left out of a DAILY feed'
  const allowed: readonly string[] = frequency === 'WEEKLY' ? days : hours
  if (repeat !== null && allowed.includes(repeat)) return undefined
  return `repeat of a feed that is ${frequency} must be one of ${allowed.join(', ')}`
}
