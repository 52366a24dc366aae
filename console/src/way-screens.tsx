import { useEffect } from 'preact/hooks'
import { portal } from './api.ts'
import { MessageView, useCall } from './call-bodies.tsx'
import { CompareWith } from './compare-with.tsx'
import { CopyCall } from './copy-call.tsx'
import { JsonView } from './json-view.tsx'
import { userName } from './names.ts'
import { NearMisses, Unmatched } from './near-misses.tsx'
import { Facts } from './parts/facts.tsx'
import { Loading } from './parts/loaded.tsx'
import { NotFound, Page, type ScreenComponent } from './parts/page.tsx'
import { wordsOf } from './parts/state.tsx'
import { Link } from './router.tsx'
import { Time } from './time.tsx'
import { type ReadEvent, useEvent, useFresh } from './use-event.ts'
import { CallVerdict, EventVerdict } from './verdict.tsx'
import { CallFacts, CauseOfEvent, DeliverySection, Matches, Refusal } from './way-parts.tsx'

const ABOVE = { to: [], name: 'Feed' }
const DELIVERIES = { to: [], name: 'Deliveries' }

/** The call, and what it caused. */
function CallPage({ sequence }: { sequence: number }) {
  return (
    <Page title={`Call ${sequence}`} above={ABOVE}>
      <Loading of={useCall(sequence)}>
        {(call) => (
          <>
            <CallVerdict call={call} />
            <CallFacts call={call} />
            <Refusal call={call} />
            <h2>Events that it caused</h2>
            {call.caused.length === 0 ? (
              <p>None.</p>
            ) : (
              <ol>
                {call.caused.map((uuid) => (
                  <li key={uuid}>
                    <Caused uuid={uuid} />
                  </li>
                ))}
              </ol>
            )}
            <Unmatched call={call} />
            <h2>Request and answer</h2>
            <MessageView message={call.request} label="Request" />
            <MessageView message={call.response} label="Answer" />
            <h2>Make it again</h2>
            <CopyCall call={call} />
          </>
        )}
      </Loading>
    </Page>
  )
}

function Caused({ uuid }: { uuid: string }) {
  const loaded = useEvent(uuid)
  useFresh(loaded, (update) => update.kind === 'attempt' && update.event_uuid === uuid)
  const { value, error } = loaded
  return (
    <>
      <Link to={['events', uuid]}>{value?.event.event_type ?? `Event ${uuid}`}</Link>
      {error && `: ${error.message}`}
      {value && <span class="soft">: {value.event.deliveries.map(({ state }) => wordsOf(state)).join(', ') || 'no delivery'}</span>}
    </>
  )
}

const EventFacts = ({ read: { event, payload, includes } }: { read: ReadEvent }) => (
  <>
    <Facts
      of={[
        ['Type', <code>{event.event_type}</code>],
        ['Id', <code>{event.event_uuid}</code>],
        ['About user', userName(event.user_id)],
        ['Accepted', <Time at={event.accepted_at} />],
      ]}
    />
    <JsonView value={payload} label="Payload" />
    {includes && <JsonView value={includes} label="Includes" />}
  </>
)

/** The way of an event: the call, the event, the subscriptions that matched, the deliveries. */
function EventPage({ uuid, webhookId }: { uuid: string; webhookId: string | undefined }) {
  const loaded = useEvent(uuid)
  useFresh(loaded, (update) => update.kind !== 'call' && update.kind !== 'challenge' && update.event_uuid === uuid)
  // Of an event with one delivery the sentence at the head of the page is about that one, and stays in sight.
  const isOneOfMany = loaded.value !== undefined && loaded.value.event.deliveries.length > 1
  useEffect(() => {
    if (webhookId !== undefined && isOneOfMany) document.getElementById(`delivery-${webhookId}`)?.scrollIntoView()
  }, [webhookId, isOneOfMany])
  return (
    <Page title={webhookId === undefined ? `Event ${uuid}` : `Delivery of event ${uuid}`} above={portal.value ? DELIVERIES : ABOVE}>
      <Loading of={loaded}>
        {(read) => (
          <>
            <EventVerdict read={read} />
            <ol class="way">
              {!portal.value && (
                <li>
                  <h2>Call</h2>
                  <CauseOfEvent uuid={uuid} />
                </li>
              )}
              <li>
                <h2>Event</h2>
                <EventFacts read={read} />
                {!portal.value && <CompareWith uuid={uuid} />}
              </li>
              <li>
                <h2>Subscriptions that matched</h2>
                <Matches read={read} />
                {!portal.value && (
                  <>
                    <h3>And those that did not</h3>
                    <NearMisses uuid={uuid} />
                  </>
                )}
              </li>
              <li>
                <h2>Deliveries</h2>
                {read.event.deliveries.length === 0 && <p>None.</p>}
                {read.event.deliveries.map((delivery) => (
                  <section
                    key={delivery.webhook_id}
                    id={`delivery-${delivery.webhook_id}`}
                    class={`delivery ${delivery.webhook_id === webhookId ? 'meant' : ''}`}
                    aria-label={`Delivery to ${delivery.url ?? delivery.webhook_id}`}
                  >
                    <DeliverySection read={read} delivery={delivery} reload={loaded.reload} />
                  </section>
                ))}
              </li>
            </ol>
          </>
        )}
      </Loading>
    </Page>
  )
}

export const CallScreen: ScreenComponent = ({ steps: [sequence] }) =>
  /^\d+$/.test(sequence ?? '') ? <CallPage sequence={Number(sequence)} /> : <NotFound />

export const EventScreen: ScreenComponent = ({ steps: [uuid, webhookId] }) =>
  uuid === undefined ? <NotFound /> : <EventPage uuid={uuid} webhookId={webhookId} />
