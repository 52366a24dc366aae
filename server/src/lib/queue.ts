/** A first-in, first-out queue that does not move its items on every take. */
export interface Queue<Item> {
  items: (Item | undefined)[]
  head: number
}

/** How many taken items may stay in the array before the rest moves to the front. */
const MAX_FREE_PLACES = 256

export const emptyQueue = <Item>(): Queue<Item> => ({ items: [], head: 0 })

export const lengthOf = <Item>({ items, head }: Queue<Item>): number => items.length - head

/** The first item, which stays; undefined if there is none. */
export const first = <Item>({ items, head }: Queue<Item>): Item | undefined => items[head]

/** All items, which stay. */
export const itemsOf = <Item>({ items, head }: Queue<Item>): Item[] => items.slice(head) as Item[]

/** Removes and returns the first item; undefined if there is none. */
export function take<Item>(queue: Queue<Item>): Item | undefined {
  if (queue.head === queue.items.length) return undefined
  const item = queue.items[queue.head]
  queue.items[queue.head++] = undefined
  if (queue.head > MAX_FREE_PLACES && queue.head * 2 > queue.items.length) {
    queue.items = queue.items.slice(queue.head)
    queue.head = 0
  }
  return item
}

/** Removes and returns all items. */
export function takeAll<Item>(queue: Queue<Item>): Item[] {
  const items = itemsOf(queue)
  queue.items = []
  queue.head = 0
  return items
}
