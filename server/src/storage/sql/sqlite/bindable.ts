import type { SQLInputValue } from 'node:sqlite'

/** The parameters of a statement. SQLite has no booleans. */
export const bindable = (parameters: readonly unknown[]): SQLInputValue[] =>
  parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value)) as SQLInputValue[]
