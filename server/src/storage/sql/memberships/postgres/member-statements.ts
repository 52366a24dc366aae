/** `$2` is identifiers one after the other, `$3` how many. */
const given = `(select substring($2::bytea from place * 33 + 1 for 33) as identifier from generate_series(0, $3::int - 1) as place)`

const row = 'identifier, effective, expires, head, next, size'

/** The statements of a batch. `$1` is the number of the audience. */
export const statements = {
  addAudience: 'insert into audience_numbers (id) values ($1) on conflict do nothing',
  /** Batches of an audience wait for each other. */
  lockAudience: 'select number, removed from audience_numbers where id = $1 for no key update',
  lockNumber: 'select number from audience_numbers where number = $1 for no key update',
  /** One lookup by key for each identifier: a planner that knows nothing of them may choose to read the audience for each. */
  rows: `select found.* from ${given} as given cross join lateral (
    select ${row} from audience_members m where m.audience = $1 and m.identifier = given.identifier limit 1) as found`,
  /** A row and the rest of its chain. */
  chain: `with recursive chain as (
      select ${row} from audience_members where audience = $1 and identifier = $2
      union all
      select m.identifier, m.effective, m.expires, m.head, m.next, m.size from chain join audience_members m
        on m.audience = $1 and m.identifier = chain.next)
    select ${row} from chain`,
  drop: `delete from audience_members where audience = $1 and identifier = any (array(select identifier from ${given} as given))`,
  /** Users with one identifier and the same times, as most are. */
  putAlike: `insert into audience_members (audience, ${row}) select $1, identifier, $4, $5, null, null, 1 from ${given} as given
    on conflict (audience, identifier) do update set effective = excluded.effective, expires = excluded.expires,
      head = null, next = null, size = 1`,
  /** The same for users who may be new. Returns those who are not, and leaves them as they are. */
  addAlike: `with added as (
      insert into audience_members (audience, ${row}) select $1, identifier, $4, $5, null, null, 1 from ${given} as given
      on conflict (audience, identifier) do nothing returning identifier)
    select identifier from ${given} as given except select identifier from added`,
  put: `insert into audience_members (audience, ${row})
    select $1, substring($2::bytea from place::int * 33 - 32 for 33), effective, expires, head, next, size
    from unnest($3::bigint[], $4::bigint[], $5::bytea[], $6::bytea[], $7::int[]) with ordinality
      as given (effective, expires, head, next, size, place)
    on conflict (audience, identifier) do update set effective = excluded.effective, expires = excluded.expires,
      head = excluded.head, next = excluded.next, size = excluded.size`,
  putChanges: `insert into audience_size_changes (audience, at, change)
    select $1, at, change from unnest($2::bigint[], $3::bigint[]) as given (at, change) order by at
    on conflict (audience, at) do update set change = audience_size_changes.change + excluded.change`,
  /** Audiences with changes that are past. */
  unfolded: 'select distinct audience from audience_size_changes where at between 1 and $1',
  fold: `with past as (delete from audience_size_changes where audience = $1 and at between 1 and $2 returning change),
      total as (select sum(change) as change from past)
    insert into audience_size_changes (audience, at, change) select $1, 0, change from total where change <> 0
    on conflict (audience, at) do update set change = audience_size_changes.change + excluded.change`,
} as const
