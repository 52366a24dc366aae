import { useSignal } from '@preact/signals'
import { act, get, mayOperate } from './api.ts'
import { at, type Json } from './exact-json.ts'
import { BodyView, JsonView } from './json-view.tsx'
import { appName, readNames } from './names.ts'
import { Copyable } from './parts/copy.tsx'
import { ConfirmedAct } from './parts/dialog.tsx'
import { Empty } from './parts/empty.tsx'
import { Facts } from './parts/facts.tsx'
import { ActForm, AppChoice, Field, filled, listed } from './parts/form.tsx'
import { Loading, useData, useLoaded } from './parts/loaded.tsx'
import { Page } from './parts/page.tsx'
import { State } from './parts/state.tsx'
import { Table } from './parts/table.tsx'
import { go, hrefOf, Link } from './router.tsx'
import type { Inbox, InboxEvents } from './server-types.ts'
import { Time } from './time.tsx'
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
    <ActForm label="Create an inbox" submit="Create inbox" run={run}>
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
  const loaded = useData<Inbox[]>('inboxes')
  useFresh(loaded, ({ kind }) => kind === 'attempt' || kind === 'challenge')
  return (
    <Page title="Inboxes" intro="A receiver within this server: a real webhook, which keeps what it gets and checks each signature.">
      <Loading of={loaded}>
        {(inboxes) => (
          <Table
            caption="Inboxes, oldest first"
            columns={['Inbox', 'App', 'Events', 'Created']}
            items={inboxes}
            keyOf={({ id }) => id}
            empty={<Empty>There is no inbox. Create one below, then trigger an event.</Empty>}
            cells={({ id, app_id, received, created_at }) => [
              <Link to={['develop', 'inboxes', id]}>{id}</Link>,
              appName(app_id),
              received,
              <Time at={created_at} />,
            ]}
          />
        )}
      </Loading>
      <h2>Create an inbox</h2>
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
      <Facts kind="headers" of={[['signature', signature ?? 'none']]} />
      <button type="button" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
        Body of message {sequence}
      </button>
      {isOpen.value && (body.type === 'string' ? <BodyView text={body.value} label="Body" /> : <JsonView value={body} label="Body" />)}
    </li>
  )
}

function InboxPage({ id }: { id: string }) {
  const loaded = useLoaded(id, () => readEvents(id))
  const inbox = useData<Inbox[]>('inboxes').value?.find((one) => one.id === id)
  useFresh(loaded, ({ kind }) => kind === 'attempt')
  const remove = async () => {
    await act('DELETE', `inboxes/${encodeURIComponent(id)}`)
    void readNames()
    go(hrefOf('develop', 'inboxes'))
    return ''
  }
  return (
    <Page title={`Inbox ${id}`} above={{ to: ['develop', 'inboxes'], name: 'Inboxes' }}>
      {inbox && (
        <p>
          A webhook of {appName(inbox.app_id)}: <Copyable text={inbox.url} label="the callback" />
        </p>
      )}
      <p class="tools">
        <Link to={['develop', 'trigger']}>Trigger an event</Link>
        {mayOperate() && (
          <ConfirmedAct
            label="Delete inbox"
            title="Delete this inbox?"
            says="Its webhook and what it got are deleted with it."
            run={remove}
          />
        )}
      </p>
      <Loading of={loaded}>
        {({ events, bodies, explanation }) =>
          events.length === 0 ? (
            <div class="empty">
              <p>Nothing came yet.</p>
              {explanation.map((sentence) => (
                <p key={sentence}>{sentence}</p>
              ))}
            </div>
          ) : (
            <ol class="plain" aria-label="Messages, newest first">
              {events.map((event, place) => (
                <EventItem key={event.sequence} event={event} body={bodies[place]!} />
              ))}
            </ol>
          )
        }
      </Loading>
    </Page>
  )
}

export const InboxesScreen = ({ steps: [id] }: { steps: readonly string[] }) => (id === undefined ? <InboxList /> : <InboxPage id={id} />)
