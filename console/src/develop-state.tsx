import { useSignal } from '@preact/signals'
import { act, get, mayOperate } from './api.ts'
import { ActForm, Confirmed, Copyable, Field, filled, Heads, listed, readAllAgain } from './develop-parts.tsx'
import type { Snapshot, World } from './server-types.ts'
import { Time } from './time.tsx'
import { Act, Failure, Page, useLoaded } from './ui.tsx'

const writeSize = (bytes: number) => (bytes < 1 << 20 ? `${Math.ceil(bytes / 1024)} KB` : `${Math.round(bytes / (1 << 20))} MB`)

function SnapshotRow({ snapshot: { id, created_at, size_bytes }, changed }: { snapshot: Snapshot; changed: () => void }) {
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
    <tr>
      <th scope="row">
        <code>{id}</code>
      </th>
      <td data-label="Taken">
        <Time at={created_at} />
      </td>
      <td data-label="Size">{writeSize(size_bytes)}</td>
      <td>
        <Confirmed
          label="Restore"
          name={`Restore snapshot ${id}`}
          asks={`Go back to the snapshot ${id}? What was done since is lost.`}
          run={restore}
        />
        <Act label={`Delete snapshot ${id}`} disabled={!mayOperate()} run={remove} />
      </td>
    </tr>
  )
}

function Snapshots() {
  const { value: snapshots, error, reload } = useLoaded('snapshots', async () => (await get<{ data: Snapshot[] }>('snapshots')).body.data)
  const take = async () => {
    const { body } = await act<{ data: Snapshot }>('POST', 'snapshots')
    reload()
    return `Snapshot ${body.data.id} is taken.`
  }
  return (
    <>
      <h2>Snapshots</h2>
      <p class="soft">A copy of everything, with the time, to go back to. They are kept until the server stops, at most ten.</p>
      {error && <Failure error={error} retry={reload} />}
      <Act label="Take a snapshot" disabled={!mayOperate()} run={take} />
      {snapshots && snapshots.length > 0 && (
        <table>
          <caption>Snapshots, oldest first</caption>
          <Heads names={['Snapshot', 'Taken', 'Size', '']} />
          <tbody>
            {snapshots.map((snapshot) => (
              <SnapshotRow key={snapshot.id} snapshot={snapshot} changed={reload} />
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

/** What a client of a world needs. */
const valuesOf = ({ id, app, users, account }: World): (readonly [name: string, value: string])[] => [
  ['World and app id', id],
  ['Consumer key', app.consumer_key],
  ['Consumer secret', app.consumer_secret],
  ['Bearer token', app.bearer_token],
  ['OAuth 2.0 client', app.oauth2_client_id],
  ['OAuth 2.0 secret', app.oauth2_client_secret],
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
      <dl class="facts">
        {valuesOf(world).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Copyable text={value} label={name} />
            </dd>
          </div>
        ))}
      </dl>
      <Confirmed
        label={`Delete world ${world.id}`}
        asks={`Delete the world ${world.id}, with all that its app and users made?`}
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
    return `World ${body.data.id} is made.`
  }
  return (
    <>
      <h2>Worlds</h2>
      <p class="soft">An app of its own, with users and an advertising account, for tests that run at the same time.</p>
      <ActForm label="Make a world" submit="Make world" run={run}>
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
      <Confirmed label="Reset" asks="Delete everything that is not of the seed? Only a snapshot brings it back." run={reset} />
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
