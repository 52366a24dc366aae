import type { Answer } from './api.ts'
import { at } from './exact-json.ts'
import { JsonView } from './json-view.tsx'
import { useData } from './parts/loaded.tsx'
import { State } from './parts/state.tsx'
import { Table } from './parts/table.tsx'
import { Link } from './router.tsx'
import type { Triggered } from './server-types.ts'
import { Time } from './time.tsx'

type Delivery = NonNullable<Triggered['data']['deliveries']>[number]

/** Usernames by id, of the users that a trigger names. */
export interface User {
  id: string
  username: string
  name: string
}

export const useUsers = () => useData<User[]>('users?max_results=100')

const STATES: Record<Delivery['outcome'], string> = {
  delivered: 'delivered',
  failed: 'failed',
  not_sent: 'not_sent',
  under_way: 'pending',
}

const Deliveries = ({ all }: { all: readonly Delivery[] }) => (
  <Table
    caption="To whom it was delivered"
    columns={['Callback', 'Event', 'Outcome', 'Detail']}
    items={all}
    cells={(one) => [
      one.url ?? `webhook ${one.webhook_id}, which is deleted`,
      <Link to={['events', one.event_uuid, one.webhook_id]}>{one.event_type}</Link>,
      <>
        <State of={STATES[one.outcome]} />
        {one.status !== null && ` ${one.status}`}
      </>,
      <>
        {[one.error, one.response, one.hint, one.reason].filter(Boolean).join(' ')}
        {one.next_try_at !== undefined && (
          <div>
            Next attempt at <Time at={one.next_try_at} short />
          </div>
        )}
      </>,
    ]}
  />
)

/** What was done: the call that was made, or why an example was published. */
function Done({ data, meta, users }: Pick<Triggered, 'data' | 'meta'> & { users: readonly User[] }) {
  const nameOf = (id: string | undefined) => users.find((user) => user.id === id)?.username ?? id
  if (data.example) return <p>{meta.note ?? 'An example was published.'}</p>
  return (
    <p>
      <code>{data.performed}</code> was performed by <strong>{nameOf(data.from)}</strong>
      {data.to !== undefined && (
        <>
          , to <strong>{nameOf(data.to)}</strong>
        </>
      )}
      .
    </p>
  )
}

/** What came of a trigger. */
export function TriggerResult({ answer: { body, exact }, users }: { answer: Answer<Triggered>; users: readonly User[] }) {
  const { data, meta, warnings = [] } = body
  const payload = at(exact, 'data', 'event', 'payload')
  return (
    <section aria-label="What happened">
      <h2>What happened</h2>
      <Done data={data} meta={meta} users={users} />
      {data.event_uuid !== undefined && (
        <p>
          <Link to={['events', data.event_uuid]}>The way of the event {data.event_uuid}</Link>
        </p>
      )}
      {meta.reasons && (
        <div class="refusal">
          <p>
            <strong>No callback got it.</strong>
          </p>
          {meta.reasons.map((reason) => (
            <p key={reason}>{reason}</p>
          ))}
        </div>
      )}
      <Deliveries all={data.deliveries ?? []} />
      {warnings.map(({ path, message }) => (
        <p key={path} class="refusal">
          <code>{path}</code>: {message}
        </p>
      ))}
      {payload && <JsonView value={payload} label="Payload" />}
    </section>
  )
}
