import { act, mayActForApp, portal } from './api.ts'
import { AttemptSteps } from './attempt-steps.tsx'
import { serverUrl } from './base.ts'
import { attemptSide } from './compare-sides.ts'
import { type Json, objectOf } from './exact-json.ts'
import { JsonView } from './json-view.tsx'
import { appName, isDevelopment, userName, webhookName } from './names.ts'
import { NotSent } from './not-sent.tsx'
import { Act } from './parts/act.tsx'
import { Empty } from './parts/empty.tsx'
import { Facts } from './parts/facts.tsx'
import { Loading, useData, useLoaded } from './parts/loaded.tsx'
import { State } from './parts/state.tsx'
import { Table } from './parts/table.tsx'
import { Link } from './router.tsx'
import type { Attempt, Call, EventDelivery } from './server-types.ts'
import { nowMs, Time, writeDistance, writeSpan } from './time.tsx'
import type { ReadEvent } from './use-event.ts'
import { DeliveryVerdict } from './verdict.tsx'

interface Explanation {
  explanation: string[]
  signature?: { base_strings: string[]; signed_base_string: string | null }
}

/** Why a call was refused, from the page that explains it; undefined once it is not explained any more, or on another origin. */
async function explain(call: Call): Promise<Explanation | undefined> {
  const id = call.refused?.explain_url?.split('/').at(-1)
  if (id === undefined) return undefined
  const answer = await fetch(serverUrl(`oauth/explanations/${id}`), { headers: { accept: 'application/json' } })
  return answer.ok ? (await answer.json()).data : undefined
}

const BaseStrings = ({ of: { base_strings: ours, signed_base_string: theirs } }: { of: NonNullable<Explanation['signature']> }) => (
  <Facts
    of={[
      ['The base string that the server built', <code>{ours[0]}</code>],
      theirs !== null && theirs !== ours[0] && ['The base string that the client signed', <code>{theirs}</code>],
    ]}
  />
)

/** Why a call was refused, and what to do. */
export function Refusal({ call }: { call: Call }) {
  const isExplained = call.refused?.explain_url !== undefined && Date.parse(call.at) > nowMs.peek() - 15 * 60_000
  const { value } = useLoaded(`${call.sequence} ${isExplained}`, async () => (isExplained ? explain(call) : undefined))
  if (!call.refused) return null
  return (
    <div class="refusal">
      <p>
        <strong>Refused.</strong> {call.refused.reason}
      </p>
      {value?.explanation
        .filter((sentence) => sentence !== call.refused!.reason)
        .map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      {value?.signature && <BaseStrings of={value.signature} />}
    </div>
  )
}

export const CallFacts = ({ call }: { call: Call }) => (
  <Facts
    of={[
      [
        'Call',
        <code>
          {call.method} {call.url}
        </code>,
      ],
      [
        'By',
        `${call.app_id === null ? 'nobody who is known' : appName(call.app_id)}${call.user_id === null ? '' : `, for ${userName(call.user_id)}`}`,
      ],
      ['At', <Time at={call.at} />],
      [
        'Answer',
        <>
          <State of={call.refused ? 'refused' : 'answered'} /> {call.status}, after {call.duration_ms} ms
        </>,
      ],
      call.fault !== undefined && [
        'Fault',
        <>
          <code>{call.fault}</code> hit it
        </>,
      ],
    ]}
  />
)

/** Which call caused an event, where that is known. */
export function CauseOfEvent({ uuid }: { uuid: string }) {
  return isDevelopment.value ? <KnownCause uuid={uuid} /> : <p class="soft">Calls are kept in development alone.</p>
}

function KnownCause({ uuid }: { uuid: string }) {
  const loaded = useData<Call[]>(`requests?last=1&event_uuid=${uuid}`)
  return (
    <Loading of={loaded}>
      {([call]) =>
        call ? (
          <>
            <CallFacts call={call} />
            <p>
              <Link to={['calls', call.sequence]}>Request and answer of the call</Link>
            </p>
          </>
        ) : (
          <p>
            No call of a client caused it, as far as is kept: it was triggered, or published with <code>POST /operator/events</code>.
          </p>
        )
      }
    </Loading>
  )
}

/** Which subscriptions brought an event somewhere. */
export const Matches = ({ read: { event, filters } }: { read: ReadEvent }) => (
  <Table
    caption="The oldest subscription of each webhook that matched"
    columns={['Webhook', 'App', 'Filter', 'Tag']}
    items={event.deliveries}
    keyOf={({ webhook_id }) => webhook_id}
    empty={<Empty>It goes to no webhook: no subscription of one matched when it was accepted.</Empty>}
    cells={({ webhook_id, app_id, tag }, place) => [
      webhookName(webhook_id),
      appName(app_id),
      <code>{filterText(filters[place])}</code>,
      tag ?? <span class="soft">none</span>,
    ]}
  />
)

const filterText = (filter: Json | undefined) =>
  filter?.type === 'object' && filter.members.length > 0
    ? filter.members.map(([name, value]) => `${name}: ${value.type === 'string' ? value.value : ''}`).join(', ')
    : 'none'

/** The body that was signed and sent: that of each webhook has its own filter and tag. */
function sentBody({ event, payload, includes, filters }: ReadEvent, { webhook_id, tag }: EventDelivery): Json {
  const place = event.deliveries.findIndex((delivery) => delivery.webhook_id === webhook_id)
  return objectOf({
    data: objectOf({ event_uuid: event.event_uuid, filter: filters[place], tag, event_type: event.event_type, payload, includes }),
  })
}

const CompareWithFormer = ({ delivery: { event_uuid: uuid, webhook_id: webhook }, place }: { delivery: EventDelivery; place: number }) =>
  place === 0 ? null : (
    <p>
      <Link
        to={['compare', attemptSide(uuid, webhook, place - 1), attemptSide(uuid, webhook, place)]}
        aria-label={`Compare with the one before: attempt ${place + 1}`}
      >
        Compare with the one before
      </Link>
    </p>
  )

/** So much of what a callback answered to a failed attempt is shown at once. */
const MAX_BEGINNING = 200

const beginningOf = (response: string) => (response.length > MAX_BEGINNING ? `${response.slice(0, MAX_BEGINNING)}…` : response)

const isFolded = ({ response, outcome }: Attempt) => response !== '' && (outcome !== 'failed' || response.length > MAX_BEGINNING)

interface AttemptProps {
  attempt: Attempt
  delivery: EventDelivery
  place: number
}

function AttemptItem({ attempt, delivery, place }: AttemptProps) {
  const since = delivery.accepted_at
  const waited = Date.parse(attempt.at) - Date.parse(since)
  return (
    <li>
      <p>
        <strong>{attempt.replay_job_id === null ? `Attempt ${attempt.n}` : `Replay ${attempt.replay_job_id}`}</strong>{' '}
        <State of={attempt.outcome} />
        {attempt.status !== null && ` ${attempt.status}`}
        {attempt.outcome !== 'not_sent' && `, after ${attempt.latency_ms} ms`}
        <span class="soft">
          {' '}
          at <Time at={attempt.at} />
          {waited >= 1000 && `, ${writeSpan(waited)} after the event`}
        </span>
      </p>
      <AttemptSteps attempt={attempt} />
      {attempt.error !== '' && <p>{attempt.error}</p>}
      {attempt.response !== '' && attempt.outcome === 'failed' && (
        <p>
          The callback answered: <code>{beginningOf(attempt.response)}</code>
        </p>
      )}
      {isFolded(attempt) && (
        <details>
          <summary>The answer of the callback begins with</summary>
          <pre tabIndex={0}>{attempt.response}</pre>
        </details>
      )}
      {!portal.value && <CompareWithFormer delivery={delivery} place={place} />}
    </li>
  )
}

/** What happens next, in words. */
function Next({ delivery: { state, next_try_at: next, attempts, hint } }: { delivery: EventDelivery }) {
  if (state === 'retrying' && next !== null)
    return (
      <p>
        Attempt {attempts.filter(({ replay_job_id }) => replay_job_id === null).length + 1} follows {writeDistance(next)}, at{' '}
        <Time at={next} />. {hint}
      </p>
    )
  return null
}

/** What may be wrong with a callback that refuses: said once, of the last attempt that it refused. */
function Hint({ delivery: { state, attempts } }: { delivery: EventDelivery }) {
  const hint = attempts.findLast((attempt) => attempt.hint !== undefined)?.hint
  return state === 'delivered' || hint === undefined ? null : <p>{hint}</p>
}

const isEnded = ({ state }: EventDelivery) => state === 'delivered' || state === 'given_up' || state === 'not_sent'

const resend = (delivery: EventDelivery, done: () => void) => async () => {
  const { webhook_id, event_uuid } = delivery
  const { body } = await act<{ data: { resent: number } }>('POST', 'deliveries/resend', { webhook_id, event_uuid })
  done()
  return body.data.resent === 1 ? 'It is sent again.' : 'It is under way already, and not sent twice.'
}

/** One delivery: its state, its attempts in time, what is sent, and what can be done. */
export function DeliverySection({ read, delivery, reload }: { read: ReadEvent; delivery: EventDelivery; reload: () => void }) {
  return (
    <>
      <h3>
        <Link to={['events', delivery.event_uuid, delivery.webhook_id]}>
          {delivery.url === null ? `webhook ${delivery.webhook_id}, which is deleted` : delivery.url}
        </Link>
      </h3>
      <p>
        <State of={delivery.state} />
      </p>
      {read.event.deliveries.length > 1 && <DeliveryVerdict delivery={delivery} />}
      <Next delivery={delivery} />
      <NotSent delivery={delivery} />
      <Hint delivery={delivery} />
      {delivery.attempts.length > 0 && (
        <ol class="attempts" aria-label="Attempts">
          {delivery.attempts.map((attempt, place) => (
            <AttemptItem key={`${attempt.replay_job_id} ${attempt.n}`} attempt={attempt} delivery={delivery} place={place} />
          ))}
        </ol>
      )}
      <details>
        <summary>The request: POST, signed</summary>
        <p class="soft">
          With <code>content-type: application/json</code>, <code>user-agent: Postern</code> and the signature of this body in{' '}
          <code>x-service-webhooks-signature</code> (in the dialect x: <code>x-twitter-webhooks-signature</code>). Signatures are not kept.
        </p>
        <JsonView value={sentBody(read, delivery)} label="Body" />
      </details>
      {mayActForApp() && delivery.url !== null && <Act label="Resend" run={resend(delivery, reload)} disabled={!isEnded(delivery)} />}
      {!isEnded(delivery) && (
        <p class="soft">
          It is under way, and can be resent once it has ended. To send it now, replay its time on the page of the webhook.
        </p>
      )}
    </>
  )
}
