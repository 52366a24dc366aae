import type { ClientBase } from 'pg'

/** The last row that was looked at. */
export interface SweptPlace {
  audience: number
  identifier: Buffer
}

const SWEPT_ROWS = 2000

const LOCK = `select number from audience_numbers where number = any($1) order by number for no key update skip locked`
const NEXT = `select audience, identifier from audience_members where (audience, identifier) > ($1, $2)
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

/** Deletes ended memberships among the rows after a place, but those of audiences in use just now. Returns how far it came; undefined at the end. */
export async function sweepRows(
  client: ClientBase,
  from: SweptPlace = { audience: 0, identifier: Buffer.alloc(0) },
  nowMs: number,
): Promise<SweptPlace | undefined> {
  const { rows } = await client.query<SweptPlace>(NEXT, [from.audience, from.identifier])
  const last = rows.at(-1)
  if (!last) return undefined
  const locked = await client.query<{ number: number }>(LOCK, [[...new Set(rows.map(({ audience }) => audience))]])
  const numbers = locked.rows.map(({ number }) => number)
  await client.query(DROP, [from.audience, from.identifier, last.audience, last.identifier, numbers, nowMs])
  return rows.length === SWEPT_ROWS ? last : undefined
}
