import { zone } from './time.tsx'

const isTime = (text: string | undefined): text is string => text !== undefined && !Number.isNaN(Date.parse(text))

/** An ISO time as a field of date and time has it: in the zone that is chosen, without its name. */
export function toField(iso: string | undefined): string {
  if (!isTime(iso)) return ''
  const date = new Date(iso)
  const shiftMs = zone.chosen.value === 'UTC' ? 0 : date.getTimezoneOffset() * 60_000
  return new Date(date.getTime() - shiftMs).toISOString().slice(0, 19)
}

/** The ISO time of what such a field holds; undefined where it is empty. */
export function fromField(text: string): string | undefined {
  const spelled = zone.chosen.value === 'UTC' ? `${text}Z` : text
  return isTime(spelled) ? new Date(spelled).toISOString() : undefined
}
