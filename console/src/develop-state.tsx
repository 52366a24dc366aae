import { useSignal } from '@preact/signals'
import { act, mayOperate } from './api.ts'
import { readClock } from './clock-state.tsx'
import { readNames } from './names.ts'
import { Act } from './parts/act.tsx'
import { Copyable } from './parts/copy.tsx'
import { ConfirmedAct } from './parts/dialog.tsx'
import { Facts } from './parts/facts.tsx'
import { ActForm, Field, filled, listed } from './parts/form.tsx'
import { Loading, useData } from './parts/loaded.tsx'
import { Page } from './parts/page.tsx'
import { Table } from './parts/table.tsx'
import type { Snapshot, World } from './server-types.ts'
import { Time } from './time.tsx'
import { writeBytes } from './words.ts'

/** Names, and the clock, after something that may have replaced everything. */
const readAllAgain = () => Promise.all([readNames(), readClock()])

function SnapshotActs({ id, changed }: { id: string; changed: () => void }) {
  const restore = async () => {
    await act('POST', `snapshots/${id}/restore`)
    await readAllAgain()
    return 'Everything is as it was then.'
  }
  const remove = async () => {
    await act('DELETE', `snapshots/${id}`)
    changed()
    return ''
  }
  return (
    <span class="tools">
      <ConfirmedAct
        label="Restore"
        name={`Restore snapshot ${id}`}
        title={`Go back to snapshot ${id}?`}
        says="What was done since is lost."
        run={restore}
      />
      <Act label="Delete" name={`Delete snapshot ${id}`} disabled={!mayOperate()} run={remove} />
    </span>
  )
}

function Snapshots() {
  const loaded = useData<Snapshot[]>('snapshots')
  const { reload } = loaded
  const take = async () => {
    const { body } = await act<{ data: Snapshot }>('POST', 'snapshots')
    reload()
    return `Snapshot ${body.data.id} is taken.`
  }
  return (
    <>
      <h2>Snapshots</h2>
      <p class="soft">A copy of everything, with the time, to go back to. They are kept until the server stops, at most ten.</p>
      <Act label="Take a snapshot" disabled={!mayOperate()} run={take} />
      <Loading of={loaded}>
        {(snapshots) => (
          <Table
            caption="Snapshots, oldest first"
            columns={['Snapshot', 'Taken', 'Size', 'Act']}
            items={snapshots}
            keyOf={({ id }) => id}
            cells={({ id, created_at, size_bytes }) => [
              <code>{id}</code>,
              <Time at={created_at} />,
              writeBytes(size_bytes),
              <SnapshotActs id={id} changed={reload} />,
            ]}
          />
        )}
      </Loading>
    </>
  )
}

/** What a client of a world needs. */
const valuesOf = ({ id, app, users, account }: World): (readonly [name: string, value: string])[] => [
  ['World and app id', id],
  ['Consumer key', app.consumer_key],
  ['Consumer secret', app.consumer_secret],
  ['Bearer token', app.bearer_token],
  ['OAuth 2.0 client id', app.oauth2_client_id],
  ['OAuth 2.0 client secret', app.oauth2_client_secret],
  ['Advertising account', account.id],
  ...Object.entries(users).flatMap(([name, user]) => [
    [`Id of ${name}`, user.id] as const,
    [`Username of ${name}`, user.username] as const,
    [`Password of ${name}`, user.password] as const,
    [`Token of ${name}`, user.oauth_token] as const,
    [`Token secret of ${name}`, user.oauth_token_secret] as const,
  ]),
]

function WorldFacts({ world, removed }: { world: World; removed: () => void }) {
  const remove = async () => {
    await act('DELETE', `worlds/${world.id}`)
    await readAllAgain()
    removed()
    return ''
  }
  return (
    <section class="delivery" aria-label={`World ${world.id}`}>
      <h3>World {world.id}</h3>
      <p class="soft">Its secrets are shown this once: they are gone when you leave this page.</p>
      <Facts of={valuesOf(world).map(([name, value]) => [name, <Copyable text={value} label={name} />])} />
      <ConfirmedAct
        label={`Delete world ${world.id}`}
        title={`Delete world ${world.id}?`}
        says="All that its app and users made is deleted with it."
        run={remove}
      />
    </section>
  )
}

function Worlds() {
  const made = useSignal<readonly World[]>([])
  const run = async (form: FormData) => {
    const { name, users } = filled(form)
    const { body } = await act<{ data: World }>('POST', 'worlds', {
      ...(name !== undefined && { name }),
      ...(users !== undefined && { users: listed(users) }),
    })
    made.value = [body.data, ...made.value]
    await readAllAgain()
    return `World ${body.data.id} is created.`
  }
  return (
    <>
      <h2>Worlds</h2>
      <p class="soft">An app of its own, with users and an advertising account, for tests that run at the same time.</p>
      <ActForm label="Create a world" submit="Create world" run={run}>
        <Field label="Name" name="name" placeholder="World" maxLength={32} />
        <Field label="Users" name="users" placeholder="ada, bob" hint="Names for the users, with commas." />
      </ActForm>
      {made.value.map((world) => (
        <WorldFacts
          key={world.id}
          world={world}
          removed={() => {
            made.value = made.value.filter(({ id }) => id !== world.id)
          }}
        />
      ))}
    </>
  )
}

function Reset() {
  const reset = async () => {
    await act('POST', 'reset')
    await readAllAgain()
    return 'The server is as after its seed.'
  }
  return (
    <>
      <h2>Reset</h2>
      <p class="soft">Goes back to the seed: everything else is deleted, and the clock shows the real time. Snapshots stay.</p>
      <ConfirmedAct
        label="Reset"
        title="Reset the server?"
        says="Everything that is not of the seed is deleted. Only a snapshot brings it back."
        run={reset}
      />
    </>
  )
}

export const StateScreen = () => (
  <Page title="Snapshots, worlds, reset">
    <Snapshots />
    <Worlds />
    <Reset />
  </Page>
)
