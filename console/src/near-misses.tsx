import { get } from './api.ts'
import { appName, userName, webhookName } from './names.ts'
import { Loading, useLoaded } from './parts/loaded.tsx'
import { Sentence } from './parts/sentence.tsx'
import { Link } from './router.tsx'
import type { Call, CallNearMisses, NearMiss, NearMissList } from './server-types.ts'

/** Subscriptions that nearly brought an event, each with why it did not. */
function Misses({ all, more }: { all: readonly NearMiss[]; more: number }) {
  return (
    <>
      <ul>
        {all.map(({ subscription_id, app_id, webhook_id, reason }) => (
          <li key={subscription_id}>
            {appName(app_id)}
            {webhook_id !== null && (
              <>
                {' ('}
                <Link to={['webhooks', webhook_id]}>{webhookName(webhook_id)}</Link>)
              </>
            )}
            : the subscription <code>{subscription_id}</code> <Sentence of={reason} />.
          </li>
        ))}
      </ul>
      {more > 0 && <p>{more} others for this type are not looked at.</p>}
    </>
  )
}

/** The subscriptions to the type of an event that did not bring it anywhere, and why. */
export const NearMisses = ({ uuid }: { uuid: string }) => (
  <Loading of={useLoaded(uuid, async () => (await get<NearMissList>(`events/${uuid}/near_misses`)).body)}>
    {({ data, meta }) =>
      data.length === 0 ? (
        <p class="soft">No other subscription is for this type of event.</p>
      ) : (
        <>
          <Misses all={data} more={meta.more} />
          <p class="soft">As subscriptions and consents are now.</p>
        </>
      )
    }
  </Loading>
)

function MissedEvent({ event: { event_type, user_id, near_misses, more } }: { event: CallNearMisses[number] }) {
  return (
    <div class="refusal">
      <p>
        <code>{event_type}</code> about {userName(user_id)} <strong>went to nobody.</strong>
        {near_misses.length > 0 && ' The subscriptions to this type:'}
      </p>
      {near_misses.length > 0 && <Misses all={near_misses} more={more} />}
    </div>
  )
}

/** Types that nobody has subscribed to for any user. */
function Unsubscribed({ events }: { events: CallNearMisses }) {
  if (events.length === 0) return null
  return (
    <>
      <p>No app has a subscription to these types of event, which the call would have caused as well:</p>
      <ul>
        {events.map(({ event_type, user_id }) => (
          <li key={`${event_type} ${user_id}`}>
            <code>{event_type}</code> about {userName(user_id)}
          </li>
        ))}
      </ul>
    </>
  )
}

/** The events that a call would have caused, and why nobody got them. */
export function Unmatched({ call: { sequence, unmatched } }: { call: Call }) {
  return unmatched.length === 0 ? null : <WhyUnmatched sequence={sequence} />
}

const readMisses = async (sequence: number) => (await get<{ data: CallNearMisses }>(`requests/${sequence}/near_misses`)).body.data

const WhyUnmatched = ({ sequence }: { sequence: number }) => (
  <>
    <h2>Events that nobody got</h2>
    <Loading of={useLoaded(`missed ${sequence}`, () => readMisses(sequence))}>
      {(events) => (
        <>
          {events.map(
            (event) => event.near_misses.length > 0 && <MissedEvent key={`${event.event_type} ${event.user_id}`} event={event} />,
          )}
          <Unsubscribed events={events.filter((event) => event.near_misses.length === 0)} />
        </>
      )}
    </Loading>
    <p class="soft">An event that no subscription takes is not made, so it cannot be resent. A subscription made now gets the next one.</p>
  </>
)
