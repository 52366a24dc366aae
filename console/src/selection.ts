import { signal } from '@preact/signals'
import type { Row } from './rows.ts'

/** The deliveries that are selected, by the keys of their rows. */
export const selected = signal<ReadonlyMap<string, Row>>(new Map())

export const canSelect = ({ kind }: Row) => kind === 'delivery'

export const isSelected = (key: string) => selected.value.has(key)

export function select(row: Row, isChosen: boolean) {
  const changed = new Map(selected.value)
  if (isChosen) changed.set(row.key, row)
  else changed.delete(row.key)
  selected.value = changed
}

export const selectNone = () => {
  selected.value = new Map()
}
