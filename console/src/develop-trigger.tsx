import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Answer, actExactly } from './api.ts'
import { type DescribedPayload, describedPayload } from './develop-events.ts'
import { SchemaFields } from './develop-schema-form.tsx'
import { TriggerResult, type User, useUsers } from './develop-trigger-result.tsx'
import { type Json, objectOf, readJson, writeJson } from './exact-json.ts'
import { Empty } from './parts/empty.tsx'
import { ActForm, AppChoice, Choice, Field, filled, Labelled } from './parts/form.tsx'
import { Loading, Reading, useData, useLoaded } from './parts/loaded.tsx'
import { Page } from './parts/page.tsx'
import { changesOf } from './payload-changes.ts'
import { place, setQuery } from './router.tsx'
import type { Trigger, Triggered } from './server-types.ts'

const USUAL = 'dm.received'

const matches = ({ event_type, summary }: Trigger, search: string) =>
  `${event_type} ${summary}`.toLowerCase().includes(search.trim().toLowerCase())

/** The event types, narrowed by a search; the arrow keys choose one. */
function TypeList({ all, chosen }: { all: readonly Trigger[]; chosen: string }) {
  const search = useSignal('')
  const shown = all.filter((one) => matches(one, search.value))
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const label = list.current?.querySelector(':checked')?.closest('label')
    if (label) list.current!.scrollTop = label.offsetTop - list.current!.offsetTop
  }, [])
  return (
    <fieldset class="types">
      <legend>Event type</legend>
      <input
        type="search"
        aria-label="Search event types"
        placeholder="Search"
        autocomplete="off"
        value={search.value}
        onInput={(event) => {
          search.value = event.currentTarget.value
        }}
      />
      <span role="status" class="soft">
        {search.value && `${shown.length} of ${all.length}`}
      </span>
      <div ref={list} class="choices-of-type">
        {shown.map(({ event_type, summary }) => (
          <label key={event_type}>
            <input
              type="radio"
              name="event_type"
              value={event_type}
              checked={event_type === chosen}
              onChange={() => setQuery({ type: event_type })}
            />{' '}
            <span>
              <code>{event_type}</code> <small class="soft">{summary}</small>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** Who takes part, as far as the type has them. */
function People({ trigger: { about, to_another }, users }: { trigger: Trigger; users: readonly User[] }) {
  if (about === null) return null
  return (
    <>
      <datalist id="people">
        {users.map(({ id, username, name }) => (
          <option key={id} value={username}>
            {name}
          </option>
        ))}
      </datalist>
      <Field label="From" name="from" list="people" hint="Who does it: a username or an id. Empty: somebody who may." />
      {to_another && <Field label="To" name="to" list="people" hint="To whom it is done. Empty: somebody." />}
      {about === 'either' && (
        <Choice
          label="Direction"
          name="direction"
          options={[
            ['', 'as it follows from who is named'],
            ['sent', 'sent: about who does it'],
            ['received', 'received: about whom it is done to'],
          ]}
        />
      )}
    </>
  )
}

interface Editing {
  /** The payload as the fields have it. */
  edited: Signal<Json>
  /** As it is written, instead of the fields. */
  raw: Signal<string | undefined>
}

/** The payload of an example: its fields, or its text. */
function Payload({ described, edited, raw, isOpen }: Editing & { described: DescribedPayload; isOpen: boolean }) {
  const toggle = () => {
    raw.value = raw.value === undefined ? writeJson(edited.value) : undefined
  }
  return (
    <details open={isOpen}>
      <summary>Payload{!isOpen && ': change it, and an example is published instead'}</summary>
      <p class="tools">
        <button type="button" aria-pressed={raw.value !== undefined} onClick={toggle}>
          Write JSON
        </button>
      </p>
      {raw.value === undefined ? (
        <SchemaFields
          name="payload"
          path="payload"
          schema={described.schema}
          value={edited.value}
          isRequired
          named={described.named}
          change={(value) => {
            edited.value = value
          }}
        />
      ) : (
        <RawPayload raw={raw as Signal<string>} />
      )}
    </details>
  )
}

const RawPayload = ({ raw }: { raw: Signal<string> }) => (
  <Labelled
    label="Members of the payload, as JSON"
    hint="Each replaces the one of this name in the example."
    control={(of) => (
      <textarea
        {...of}
        name="payload"
        spellcheck={false}
        value={raw.value}
        onInput={(event) => {
          raw.value = event.currentTarget.value
        }}
      />
    )}
  />
)

/** The members to send. Throws what is wrong with a text. */
function membersOf(text: string): Json | undefined {
  if (text.trim() === '') return undefined
  try {
    const value = readJson(text)
    if (value.type === 'object') return value
  } catch (error) {
    throw new Error(`$.payload: must be JSON: ${(error as Error).message}`)
  }
  throw new Error('$.payload: must be an object like {"text": "Hello"}')
}

function payloadOf(described: DescribedPayload | undefined, { edited, raw }: Editing): Json | undefined {
  if (raw.value !== undefined) return membersOf(raw.value)
  if (!described) return undefined
  const changes = changesOf(described.example, edited.value)
  return Object.keys(changes).length === 0 ? undefined : objectOf(changes)
}

const saysWhat = ({ action }: Trigger) =>
  action === null ? (
    <p>No call makes such an event: an example is published.</p>
  ) : (
    <p>
      Performs <code>{action}</code> on behalf of a user; the event follows as from a client.
    </p>
  )

function TriggerForm({ trigger, described, users }: { trigger: Trigger; described: DescribedPayload | undefined; users: readonly User[] }) {
  const answer = useSignal<Answer<Triggered> | undefined>(undefined)
  const edited = useSignal<Json>(described?.example ?? objectOf({}))
  const raw = useSignal<string | undefined>(described ? undefined : '')
  const run = async (form: FormData) => {
    const who = filled(form)
    const payload = payloadOf(described, { edited, raw })
    const { from, to, direction, text, app_id } = who
    const members = objectOf({ event_type: trigger.event_type, from, to, direction, text, app_id, payload })
    answer.value = undefined
    answer.value = await actExactly<Triggered>('POST', 'trigger', members)
    return 'Done: what happened is told below.'
  }
  return (
    <>
      <ActForm label={`Trigger ${trigger.event_type}`} submit={`Trigger ${trigger.event_type}`} run={run}>
        {saysWhat(trigger)}
        <People trigger={trigger} users={users} />
        {trigger.takes_text && <Field label="Text" name="text" hint="Empty: a usual one." />}
        {trigger.event_type === 'oauth.revoke' && <AppChoice any="the first one" />}
        {described ? (
          <Payload described={described} edited={edited} raw={raw} isOpen={trigger.action === null} />
        ) : (
          <RawPayload raw={raw as Signal<string>} />
        )}
      </ActForm>
      {answer.value && <TriggerResult answer={answer.value} users={users} />}
    </>
  )
}

function ChosenType({ trigger, users }: { trigger: Trigger; users: readonly User[] }) {
  const { event_type } = trigger
  const { value } = useLoaded(event_type, async () => ({ described: await describedPayload(event_type) }))
  return (
    <section aria-label={event_type}>
      <h2>
        <code>{event_type}</code>
      </h2>
      <p>{trigger.summary}</p>
      {value ? <TriggerForm key={event_type} trigger={trigger} users={users} {...value} /> : <Reading />}
    </section>
  )
}

export function TriggerScreen() {
  const loaded = useData<Trigger[]>('trigger')
  const { value: users = [] } = useUsers()
  const chosen = place.value.query.get('type') ?? USUAL
  const trigger = loaded.value?.find(({ event_type }) => event_type === chosen)
  return (
    <Page title="Trigger">
      <Loading of={loaded}>
        {(triggers) => (
          <div class="choose-and-fill">
            <TypeList all={triggers} chosen={chosen} />
            {trigger ? (
              <ChosenType trigger={trigger} users={users} />
            ) : (
              <Empty>
                There is no event type <code>{chosen}</code>: choose one of the list.
              </Empty>
            )}
          </div>
        )}
      </Loading>
    </Page>
  )
}
