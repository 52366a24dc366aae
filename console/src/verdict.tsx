import { get, portal } from './api.ts'
import { userName, webhooks } from './names.ts'
import { useLoaded } from './parts/loaded.tsx'
import type { Call, EventDelivery, NearMissList } from './server-types.ts'
import { writeDistance, writeSpan, writeTime } from './time.tsx'
import type { ReadEvent } from './use-event.ts'
import { callVerdict, deliveryVerdict, eventVerdict, nobodyVerdict, type Writing } from './verdicts.ts'

/** What happened and what to do, before everything else of a page. */
const Verdict = ({ says }: { says: string }) => <p class="verdict">{says}</p>

const writingOf = ({ user_id, webhook_id }: EventDelivery): Writing => ({
  time: writeTime,
  distance: writeDistance,
  span: writeSpan,
  user: userName(user_id),
  backlog: webhooks.value.find(({ id }) => id === webhook_id)?.backlog ?? 0,
})

export const DeliveryVerdict = ({ delivery }: { delivery: EventDelivery }) => <p>{deliveryVerdict(delivery, writingOf(delivery))}</p>

/** Near misses are looked up for an event that went nowhere, where they may be seen. */
function NobodyVerdict({ read: { event } }: { read: ReadEvent }) {
  const path = `events/${event.event_uuid}/near_misses`
  const { value } = useLoaded(`verdict ${path}`, async () => (portal.value ? [] : (await get<NearMissList>(path)).body.data))
  return value ? (
    <Verdict
      says={nobodyVerdict(
        event.event_type,
        userName(event.user_id),
        value.map(({ reason }) => reason),
      )}
    />
  ) : null
}

export const EventVerdict = ({ read }: { read: ReadEvent }) =>
  read.event.deliveries.length === 0 ? (
    <NobodyVerdict read={read} />
  ) : (
    <Verdict says={eventVerdict(read.event.deliveries.map((delivery) => [delivery, writingOf(delivery)]))} />
  )

export const CallVerdict = ({ call: { status, caused, unmatched, refused } }: { call: Call }) => (
  <Verdict says={callVerdict({ status, caused: caused.length, unmatched: unmatched.length, isRefused: refused !== undefined })} />
)
