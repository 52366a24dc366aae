import { useEffect } from 'preact/hooks'
import { portal } from './api.ts'
import { MessageView, useCall } from './call-bodies.tsx'
import { CompareWith } from './compare-with.tsx'
import { CopyCall } from './copy-call.tsx'
import { JsonView } from './json-view.tsx'
import { Link } from './router.tsx'
import { Time } from './time.tsx'
import { Failure, NotFound, Page, type ScreenComponent } from './ui.tsx'
import { type ReadEvent, useEvent, useFresh } from './use-event.ts'
import { CallFacts, CauseOfEvent, DeliverySection, Matches, NearMisses, Refusal } from './way-parts.tsx'

const Steps = () => (
  <p>
    <Link to={[]}>Feed</Link>
  </p>
)

/** The call, and what it caused. */
function CallPage({ sequence }: { sequence: number }) {
  const { value: call, error, reload } = useCall(sequence)
  const title = `Call ${sequence}`
  return (
    <Page title={title} intro={<Steps />}>
      {error && <Failure error={error} retry={reload} />}
      {!call && !error && <p class="soft">Reading…</p>}
      {call && (
        <>
          <CallFacts call={call} />
          <Refusal call={call} />
          <h2>Request and answer</h2>
          <MessageView message={call.request} label="Request" />
          <MessageView message={call.response} label="Answer" />
          <h2>Make it again</h2>
          <CopyCall call={call} />
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
        </>
      )}
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
      {value && (
        <span class="soft">: {value.event.deliveries.map(({ state }) => state.replace('_', ' ')).join(', ') || 'no delivery'}</span>
      )}
    </>
  )
}

function EventFacts({ read: { event, payload, includes } }: { read: ReadEvent }) {
  return (
    <>
      <dl class="facts">
        <div>
          <dt>Type</dt>
          <dd>
            <code>{event.event_type}</code>
          </dd>
        </div>
        <div>
          <dt>Id</dt>
          <dd>
            <code>{event.event_uuid}</code>
          </dd>
        </div>
        <div>
          <dt>About user</dt>
          <dd>
            <code>{event.user_id}</code>
          </dd>
        </div>
        <div>
          <dt>Accepted</dt>
          <dd>
            <Time at={event.accepted_at} />
          </dd>
        </div>
      </dl>
      <JsonView value={payload} label="Payload" />
      {includes && <JsonView value={includes} label="Includes" />}
    </>
  )
}

/** The way of an event: the call, the event, the subscriptions that matched, the deliveries. */
function EventPage({ uuid, webhookId }: { uuid: string; webhookId: string | undefined }) {
  const loaded = useEvent(uuid)
  const { value: read, error, reload } = loaded
  useFresh(loaded, (update) => update.kind !== 'call' && update.kind !== 'challenge' && update.event_uuid === uuid)
  const isRead = read !== undefined
  useEffect(() => {
    if (webhookId !== undefined && isRead) document.getElementById(`delivery-${webhookId}`)?.scrollIntoView()
  }, [webhookId, isRead])
  return (
    <Page title={webhookId === undefined ? `Event ${uuid}` : `Delivery of event ${uuid}`} intro={<Steps />}>
      {error && <Failure error={error} retry={reload} />}
      {!read && !error && <p class="soft">Reading…</p>}
      {read && (
        <ol class="way">
          <li>
            <h2>Call</h2>
            <CauseOfEvent uuid={uuid} />
          </li>
          <li>
            <h2>Event</h2>
            <EventFacts read={read} />
            <CompareWith uuid={uuid} />
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
                <DeliverySection read={read} delivery={delivery} reload={reload} />
              </section>
            ))}
          </li>
        </ol>
      )}
    </Page>
  )
}

export const CallScreen: ScreenComponent = ({ steps: [sequence] }) =>
  /^\d+$/.test(sequence ?? '') ? <CallPage sequence={Number(sequence)} /> : <NotFound />

export const EventScreen: ScreenComponent = ({ steps: [uuid, webhookId] }) =>
  uuid === undefined ? <NotFound /> : <EventPage uuid={uuid} webhookId={webhookId} />
