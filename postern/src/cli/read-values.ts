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

/** A time in UTC; a bare date or minute is taken as UTC too. With the time of now also how long ago it is. */
export function timeMs(name: string, text: string, nowMs?: number): number {
  const [, count, unit] = AGO.exec(text) ?? []
  if (unit !== undefined && nowMs !== undefined) return nowMs - Number(count) * UNIT_MS[unit]!
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(text) || !text.includes('T') ? text : `${text}Z`)
  if (!Number.isNaN(ms) && unit === undefined) return ms
  throw wrongUsage(
    `${name} is a time in UTC such as 2026-03-01T12:00Z${nowMs === undefined ? '' : ', or how long ago such as 90m'}, and not ${text}.`,
  )
}
