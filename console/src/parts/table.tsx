import type { ComponentChildren } from 'preact'

/** Names of columns that only a screen reader says: what they are is seen. */
const HIDDEN = ['Select', 'More', 'Act']

/** `sorted` is the column by which the largest come first. */
export const ColumnHeads = ({ names, sorted }: { names: readonly string[]; sorted?: string | undefined }) => (
  <thead>
    <tr>
      {names.map((name) => (
        <th scope="col" key={name} aria-sort={name === sorted ? 'descending' : undefined}>
          {HIDDEN.includes(name) ? <span class="hidden">{name}</span> : name}
        </th>
      ))}
    </tr>
  </thead>
)

interface TableProps<Item> {
  caption: ComponentChildren
  columns: readonly string[]
  /** The column that names a row. */
  head?: number
  items: readonly Item[]
  keyOf?: (item: Item) => string
  /** One for each column. */
  cells(item: Item, place: number): ComponentChildren[]
  /** Shown instead while there are no items. */
  empty?: ComponentChildren
  sorted?: string
  /** All but the first column are numbers. */
  figures?: boolean
}

/** A list as a table, which narrow pages show with the name of its column before each cell. */
export function Table<Item>({ caption, columns, head = 0, items, keyOf, cells, empty, sorted, figures }: TableProps<Item>) {
  if (items.length === 0) return <>{empty}</>
  return (
    <table class={figures ? 'figures' : undefined}>
      <caption>{caption}</caption>
      <ColumnHeads names={columns} sorted={sorted} />
      <tbody>
        {items.map((item, place) => (
          <tr key={keyOf?.(item) ?? place}>
            {cells(item, place).map((cell, column) =>
              column === head ? (
                <th scope="row" key={column}>
                  {cell}
                </th>
              ) : (
                <td key={column} data-label={HIDDEN.includes(columns[column]!) ? undefined : columns[column]}>
                  {cell}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
