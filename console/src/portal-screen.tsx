import { useSignal } from '@preact/signals'
import { act, get, portal } from './api.ts'
import { webhookName, webhooks } from './names.ts'
import { Link, place, setQuery } from './router.tsx'
import type { Delivery } from './server-types.ts'
import { nowMs, Time } from './time.tsx'
import { Act, Failure, Page, State, useLoaded } from './ui.tsx'
import { useFresh } from './use-event.ts'

interface DeliveryPage {
  data: Delivery[]
  meta: { next_before?: string }
}

const ROWS = 50

const readPage = async (webhookId: string, before: string | undefined) => {
  const query = new URLSearchParams({ webhook_id: webhookId, max_results: String(ROWS), ...(before !== undefined && { before }) })
  return (await get<DeliveryPage>(`deliveries?${query}`)).body
}

function DeliveryRow({ delivery: { event_uuid, event_type, webhook_id, accepted_at, state, attempts } }: { delivery: Delivery }) {
  const last = attempts.at(-1)
  return (
    <tr>
      <th scope="row">
        <Link to={['events', event_uuid, webhook_id]}>{event_type}</Link>
      </th>
      <td data-label="State">
        <State of={state} />
      </td>
      <td data-label="Accepted">
        <Time at={accepted_at} />
      </td>
      <td data-label="Attempts">{attempts.length}</td>
      <td data-label="Last answer" class="wrap">
        {last && (last.error || (last.status ?? ''))}
      </td>
    </tr>
  )
}

function Deliveries({ webhookId }: { webhookId: string }) {
  const before = place.value.query.get('before') ?? undefined
  const loaded = useLoaded(`${webhookId} ${before}`, () => readPage(webhookId, before))
  useFresh(loaded, () => false)
  const { value, error, reload } = loaded
  return (
    <>
      {error && <Failure error={error} retry={reload} />}
      {!value && !error && <p class="soft">Reading…</p>}
      {value?.data.length === 0 && <p class="empty">Nothing was sent to this webhook in the last 24 hours.</p>}
      {value && value.data.length > 0 && (
        <table>
          <caption>Deliveries to {webhookName(webhookId)}, newest first</caption>
          <thead>
            <tr>
              {['Event', 'State', 'Accepted', 'Attempts', 'Last answer'].map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {value.data.map((delivery) => (
              <DeliveryRow key={delivery.event_uuid} delivery={delivery} />
            ))}
          </tbody>
        </table>
      )}
      <p>
        {before !== undefined && (
          <button type="button" onClick={() => setQuery({ before: undefined })}>
            Newest
          </button>
        )}{' '}
        {value?.meta.next_before !== undefined && (
          <button type="button" onClick={() => setQuery({ before: value.meta.next_before })}>
            Older
          </button>
        )}
      </p>
    </>
  )
}

/** A minute in UTC as the API takes it: `202603011200`. */
const minuteOf = (ms: number) => new Date(ms).toISOString().replace(/[-T:]/g, '').slice(0, 12)

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

async function replayHour(webhookId: string) {
  const now = nowMs.peek()
  await act('POST', 'replays', { webhook_id: webhookId, from_date: minuteOf(now - HOUR_MS), to_date: minuteOf(now + MINUTE_MS) })
  return 'The events of the last hour are sent again.'
}

/** The new secret is shown this once, until the page is left. */
function Rotation() {
  const secret = useSignal<string | undefined>(undefined)
  const rotate = async () => {
    const { body } = await act<{ data: { consumer_secret: string } }>('PATCH', `apps/${portal.value!.app_id}`, { rotate_secret: {} })
    secret.value = body.data.consumer_secret
    return 'The new secret is below. It is not shown again.'
  }
  return (
    <details>
      <summary>Rotate the consumer secret</summary>
      <p>
        The app gets a new secret. The current one stays valid for 24 hours, and one before it ends now. Events are signed with the new one
        once the callback has answered a challenge with it.
      </p>
      <Act label="Rotate now" run={rotate} />
      {secret.value !== undefined && (
        <p>
          New consumer secret: <code class="wrap">{secret.value}</code>
        </p>
      )}
    </details>
  )
}

/** The first screen of a portal: what was sent to a webhook of the app. */
export function PortalScreen() {
  const asked = place.value.query.get('webhook')
  const chosen = webhooks.value.find(({ id }) => id === asked) ?? webhooks.value[0]
  return (
    <Page title={`Deliveries of ${portal.value?.app_name}`}>
      {!chosen && (
        <p class="empty">
          The app has no webhook yet. It registers one with <code>POST /2/webhooks</code>.
        </p>
      )}
      {chosen && (
        <>
          <label>
            Webhook{' '}
            <select value={chosen.id} onChange={(event) => setQuery({ webhook: event.currentTarget.value, before: undefined })}>
              {webhooks.value.map(({ id, url }) => (
                <option key={id} value={id}>
                  {url}
                </option>
              ))}
            </select>
          </label>
          <Deliveries key={chosen.id} webhookId={chosen.id} />
          <Act key={`replay ${chosen.id}`} label="Replay the last hour" run={() => replayHour(chosen.id)} />
        </>
      )}
      <Rotation />
    </Page>
  )
}
