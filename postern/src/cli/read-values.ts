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

/** A time in UTC; a bare date or minute is taken as UTC too. */
export function timeMs(name: string, text: string): number {
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(text) || !text.includes('T') ? text : `${text}Z`)
  if (Number.isNaN(ms)) throw wrongUsage(`${name} is a time in UTC such as 2026-03-01T12:00Z, and not ${text}.`)
  return ms
}
