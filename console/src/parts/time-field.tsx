import { zone } from '../time.tsx'
import { Field } from './form.tsx'

const isTime = (text: string | undefined): text is string => text !== undefined && !Number.isNaN(Date.parse(text))

/** An ISO time as a field of date and time has it: in the zone that is chosen, without its name. */
function toField(iso: string | undefined): string {
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

interface TimeFieldProps {
  label: string
  name: string
  /** In UTC, as the address has it. */
  value: string | undefined
  required?: boolean
  hint?: string
  /** Called with the time in UTC once another one is chosen; without it the field belongs to a form. */
  choose?: (iso: string | undefined) => void
  /** To the minute, instead of the second. */
  minutes?: boolean
}

/** A time in the zone that is chosen, which its label names. */
export const TimeField = ({ label, name, value, required = false, hint, choose, minutes = false }: TimeFieldProps) => {
  const text = toField(value).slice(0, minutes ? 16 : 19)
  return (
    <Field
      label={`${label} (${zone.chosen.value})`}
      name={name}
      type="datetime-local"
      step={minutes ? '60' : '1'}
      required={required}
      hint={hint}
      {...(choose ? { value: text, onChange: (event) => choose(fromField(event.currentTarget.value)) } : { defaultValue: text })}
    />
  )
}
