import { wrongUsage } from './failure.ts'

/** `name=value`, split at the first `=`. */
export function nameAndValue(assignment: string): [name: string, value: string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(assignment) ?? []
  if (name === undefined || value === undefined) throw wrongUsage(`${assignment} is not name=value.`)
  return [name, value]
}

/** A whole number of an option. */
export function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value
  throw wrongUsage(`--${name} is a whole number from ${least} to ${most}, and not ${text}.`)
}

const AGO = /^(\d{1,6})([smhd])$/
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Whether a time is said as how long ago it is: `90m`. */
export const isAgo = (text: string | undefined): boolean => text !== undefined && AGO.test(text)

/** A date, or a time after it, and its zone. */
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/

/**
 * A date or a time, in UTC where no zone stands; undefined for anything else. `Date.parse` alone takes a number for a year, reads a time after
 * a space by the zone of this machine, and a day that a month does not have as one of the next.
 */
export function dateMs(text: string): number | undefined {
  const [, date = '', time = '00:00', zone = 'Z'] = TIME.exec(text) ?? []
  const ms = Date.parse(`${date}T${time}${zone.replace(/(\d\d)(\d\d)$/, '$1:$2')}`)
  const isDay = new Date(`${date}T00:00Z`).getUTCDate() === Number(date.slice(-2))
  return isDay && !Number.isNaN(ms) ? ms : undefined
}

/** What is no time; `orSpan` names what else the option takes. */
export const wrongTime = (name: string, text: string, orSpan: string) =>
  wrongUsage(`${name} is a time in UTC such as 2026-03-01T12:00Z or 2026-03-01${orSpan}, and not ${text}.`)

/** A time, as `dateMs` reads it. With the time of now also how long ago it is. */
export function timeMs(name: string, text: string, nowMs?: number): number {
  const [, count, unit] = AGO.exec(text) ?? []
  if (unit !== undefined && nowMs !== undefined) return nowMs - Number(count) * UNIT_MS[unit]!
  const ms = dateMs(text)
  if (ms !== undefined) return ms
  throw wrongTime(name, text, nowMs === undefined ? '' : ', or how long ago such as 90m')
}
