/** First in, first out, without moving what stays. */
export interface Queue<Item> {
  items: (Item | undefined)[]
  head: number
}

/** How many places of items that were taken are kept before what stays moves to the front. */
const MOST_FREE_PLACES = 256

export const emptyQueue = <Item>(): Queue<Item> => ({ items: [], head: 0 })

export const lengthOf = <Item>({ items, head }: Queue<Item>): number => items.length - head

/** The item that is taken next; undefined when there is none. */
export const first = <Item>({ items, head }: Queue<Item>): Item | undefined => items[head]

/** Takes the first item; undefined when there is none. */
export function take<Item>(queue: Queue<Item>): Item | undefined {
  if (queue.head === queue.items.length) return undefined
  const item = queue.items[queue.head]
  queue.items[queue.head++] = undefined
  if (queue.head > MOST_FREE_PLACES && queue.head * 2 > queue.items.length) {
    queue.items = queue.items.slice(queue.head)
    queue.head = 0
  }
  return item
}

/** Takes all items. */
export function takeAll<Item>(queue: Queue<Item>): Item[] {
  const items = queue.items.slice(queue.head) as Item[]
  queue.items = []
  queue.head = 0
  return items
}
