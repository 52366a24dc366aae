import type { FieldChange } from '../../storage/audit-log.ts'

const asJson = (value: unknown) => JSON.stringify(value) ?? null

/** The fields that differ between two views of a record, which have no secrets, and the names of the secrets that changed. */
export function changesBetween(before: object, after: object, secrets: readonly (string | false)[] = []): FieldChange[] {
  const old: Record<string, unknown> = { ...before }
  const fields = Object.entries(after)
    .map(([field, value]) => ({ field, before: asJson(old[field]), after: asJson(value) }))
    .filter((change) => change.before !== change.after)
  return [...fields, ...secrets.filter((field) => field !== false).map((field) => ({ field, before: null, after: null }))]
}
