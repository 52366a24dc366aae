import { useSignal } from '@preact/signals'
import { act, get, mayOperate } from './api.ts'
import { ActForm, AppChoice, Confirmed, Copyable, Field, filled, Heads, listed } from './develop-parts.tsx'
import { at, type Json } from './exact-json.ts'
import { BodyView, JsonView } from './json-view.tsx'
import { appName, readNames } from './names.ts'
import { go, hrefOf, Link } from './router.tsx'
import type { Inbox, InboxEvents } from './server-types.ts'
import { Time } from './time.tsx'
import { Failure, Page, State, useLoaded } from './ui.tsx'
import { useFresh } from './use-event.ts'

type InboxEvent = InboxEvents['data'][number]

function InboxForm() {
  const run = async (form: FormData) => {
    const { app_id, events, user_ids } = filled(form)
    const { body } = await act<{ data: Inbox & { subscriptions: unknown[] } }>('POST', 'inboxes', {
      ...(app_id !== undefined && { app_id }),
      ...(events !== undefined && { events: listed(events) }),
      ...(user_ids !== undefined && { user_ids: listed(user_ids) }),
    })
    void readNames()
    go(hrefOf('develop', 'inboxes', body.data.id))
    return `Inbox ${body.data.id} has ${body.data.subscriptions.length} subscriptions.`
  }
  return (
    <ActForm label="Make an inbox" submit="Make inbox" run={run}>
      <AppChoice any="the first one" />
      <Field
        label="Event types"
        name="events"
        placeholder="dm.received, follow.follow"
        hint="With commas. Empty: all that the app may have."
      />
      <Field
        label="About"
        name="user_ids"
        placeholder="ada, grace"
        hint="Usernames or ids, with commas. Empty: everybody with a token of the app."
      />
    </ActForm>
  )
}

function InboxList() {
  const loaded = useLoaded('inboxes', async () => (await get<{ data: Inbox[] }>('inboxes')).body.data)
  useFresh(loaded, ({ kind }) => kind === 'attempt' || kind === 'challenge')
  const { value: inboxes, error, reload } = loaded
  return (
    <Page title="Inboxes">
      <p class="soft">A receiver within this server: a real webhook, which keeps what it gets and checks each signature.</p>
      {error && <Failure error={error} retry={reload} />}
      {inboxes?.length === 0 && <p class="empty">There is no inbox. Make one below, then trigger an event.</p>}
      {inboxes && inboxes.length > 0 && (
        <table>
          <caption>Inboxes, oldest first</caption>
          <Heads names={['Inbox', 'App', 'Events', 'Made']} />
          <tbody>
            {inboxes.map(({ id, app_id, received, created_at }) => (
              <tr key={id}>
                <th scope="row">
                  <Link to={['develop', 'inboxes', id]}>{id}</Link>
                </th>
                <td data-label="App">{appName(app_id)}</td>
                <td data-label="Events">{received}</td>
                <td data-label="Made">
                  <Time at={created_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <h2>Make an inbox</h2>
      <InboxForm />
    </Page>
  )
}

interface ReadEvents {
  events: InboxEvent[]
  /** The bodies, with exact numbers. */
  bodies: Json[]
  explanation: string[]
}

/** An inbox keeps the last 1000 events. */
const READ = 1000

async function readEvents(id: string): Promise<ReadEvents> {
  const { body, exact } = await get<InboxEvents>(`inboxes/${encodeURIComponent(id)}/events?max_results=${READ}`)
  return {
    events: body.data.toReversed(),
    bodies: body.data.map((_, place) => at(exact, 'data', place, 'event')!).toReversed(),
    explanation: body.meta.explanation ?? [],
  }
}

function EventItem({ event, body }: { event: InboxEvent; body: Json }) {
  const isOpen = useSignal(false)
  const { sequence, event_type, event_uuid, received_at, verified, duplicate, signature } = event
  return (
    <li class="delivery">
      <p>
        <Time at={received_at} short />{' '}
        {event_uuid === null ? (event_type ?? 'No event') : <Link to={['events', event_uuid]}>{event_type ?? event_uuid}</Link>}{' '}
        <State of={verified ? 'verified' : 'wrong_signature'} />
        {duplicate && ' A duplicate: its id came before.'}
      </p>
      <dl class="headers">
        <div>
          <dt>signature</dt>
          <dd>{signature ?? 'none'}</dd>
        </div>
      </dl>
      <button type="button" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
        Body of message {sequence}
      </button>
      {isOpen.value && (body.type === 'string' ? <BodyView text={body.value} label="Body" /> : <JsonView value={body} label="Body" />)}
    </li>
  )
}

function InboxPage({ id }: { id: string }) {
  const loaded = useLoaded(id, () => readEvents(id))
  const inbox = useLoaded('inboxes', async () => (await get<{ data: Inbox[] }>('inboxes')).body.data.find((one) => one.id === id))
  useFresh(loaded, ({ kind }) => kind === 'attempt')
  const { value, error, reload } = loaded
  const remove = async () => {
    await act('DELETE', `inboxes/${encodeURIComponent(id)}`)
    void readNames()
    go(hrefOf('develop', 'inboxes'))
    return ''
  }
  return (
    <Page title={`Inbox ${id}`}>
      {inbox.value && (
        <p>
          A webhook of {appName(inbox.value.app_id)}: <Copyable text={inbox.value.url} label="the callback" />
        </p>
      )}
      <p class="tools">
        <Link to={['develop', 'inboxes']}>All inboxes</Link>
        <Link to={['develop', 'trigger']}>Trigger an event</Link>
        {mayOperate() && <Confirmed label="Delete inbox" asks={`Delete the inbox ${id}, with its webhook and what it got?`} run={remove} />}
      </p>
      {error && <Failure error={error} retry={reload} />}
      {value?.events.length === 0 && (
        <div class="empty">
          <p>Nothing came yet.</p>
          {value.explanation.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
      )}
      <ol class="plain" aria-label="Messages, newest first">
        {value?.events.map((event, place) => (
          <EventItem key={event.sequence} event={event} body={value.bodies[place]!} />
        ))}
      </ol>
    </Page>
  )
}

export const InboxesScreen = ({ steps: [id] }: { steps: readonly string[] }) => (id === undefined ? <InboxList /> : <InboxPage id={id} />)
