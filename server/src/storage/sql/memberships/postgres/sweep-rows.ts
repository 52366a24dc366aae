import type { ClientBase } from 'pg'

/** The last row that was looked at. */
export interface SweptPlace {
  audience: number
  identifier: Buffer
}

/** How many rows one call looks at, and about how many it deletes at most: a user has many at times. */
const SWEPT_ROWS = 2000
const DROPPED_ROWS = 5000

const LOCK = `select number from audience_numbers where number = any($1) order by number for no key update skip locked`
const NEXT = `select audience, identifier, case when head is null then size else 1 end as size from audience_members where (audience, identifier) > ($1, $2)
  order by audience, identifier limit ${SWEPT_ROWS}`

/** All identifiers of users whose membership has ended, and all of removed audiences, among the rows from one place to another. */
const DROP = `with recursive ended as (
    select m.audience, m.identifier, m.next, a.removed from audience_members m join audience_numbers a on a.number = m.audience
    where (m.audience, m.identifier) > ($1, $2) and (m.audience, m.identifier) <= ($3, $4) and m.audience = any($5)
      and (a.removed or (m.head is null and m.expires * 1000 <= $6))
    union
    select m.audience, m.identifier, m.next, false from ended join audience_members m
      on m.audience = ended.audience and m.identifier = ended.next and not ended.removed)
  delete from audience_members m using ended where m.audience = ended.audience and m.identifier = ended.identifier`

const START: SweptPlace = { audience: 0, identifier: Buffer.alloc(0) }

/** The rows of the next page: so many that no more than `DROPPED_ROWS` are deleted with them, but one at least. */
function pageOf<Row extends { size: number }>(rows: readonly Row[]): readonly Row[] {
  let size = 0
  const end = rows.findIndex((row, index) => {
    size += row.size
    return size > DROPPED_ROWS && index > 0
  })
  return end === -1 ? rows : rows.slice(0, end)
}

/**
 * Deletes ended memberships among the rows after a place, but those of audiences in use just now. Tells how far it comes before it deletes,
 * undefined at the end: so a page that fails does not hold up those after it.
 */
export async function sweepRows(
  client: ClientBase,
  from: SweptPlace = START,
  nowMs: number,
  reached: (place: SweptPlace | undefined) => void,
): Promise<void> {
  const { rows: found } = await client.query<SweptPlace & { size: number }>(NEXT, [from.audience, from.identifier])
  const rows = pageOf(found)
  const last = rows.at(-1)
  reached(rows.length < found.length || found.length === SWEPT_ROWS ? last : undefined)
  if (!last) return
  const locked = await client.query<{ number: number }>(LOCK, [[...new Set(rows.map(({ audience }) => audience))]])
  const numbers = locked.rows.map(({ number }) => number)
  await client.query(DROP, [from.audience, from.identifier, last.audience, last.identifier, numbers, nowMs])
}
