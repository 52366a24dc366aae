import { useSignal } from '@preact/signals'
import { act, mayOperate } from './api.ts'
import { AppForm, settingsOf } from './app-form.tsx'
import { readAll, readNames } from './names.ts'
import { go, hrefOf, Link } from './router.tsx'
import { type Secrets, SecretsDialog } from './secrets-dialog.tsx'
import type { App } from './server-types.ts'
import { Time } from './time.tsx'
import { Act, Failure, NotFound, Page, type ScreenComponent, State, useLoaded } from './ui.tsx'

const Steps = () => (
  <p>
    <Link to={['apps']}>Apps</Link>
  </p>
)

interface Changed {
  data: App & { consumer_secret?: string; oauth2_client_secret?: string | null }
}

/** What of an answer is shown this once. */
const secretsIn = ({ data: { consumer_key, consumer_secret, oauth2_client_id, oauth2_client_secret } }: Changed): Secrets => [
  ...(consumer_secret === undefined
    ? []
    : ([
        ['Consumer key', consumer_key],
        ['Consumer secret', consumer_secret],
      ] as const)),
  ...(oauth2_client_secret
    ? ([
        ['OAuth 2.0 client id', oauth2_client_id ?? ''],
        ['OAuth 2.0 client secret', oauth2_client_secret],
      ] as const)
    : []),
]

function AppFacts({ app }: { app: App }) {
  return (
    <dl class="facts">
      <div>
        <dt>Name</dt>
        <dd>{app.name}</dd>
      </div>
      <div>
        <dt>State</dt>
        <dd>
          <State of={app.suspended ? 'suspended' : 'active'} />
          {app.suspended && ': its calls are refused, and nothing is sent to its webhooks.'}
        </dd>
      </div>
      <div>
        <dt>Consumer key</dt>
        <dd>
          <code>{app.consumer_key}</code>
        </dd>
      </div>
      {app.oauth2_client_id !== null && (
        <div>
          <dt>OAuth 2.0 client</dt>
          <dd>
            <code>{app.oauth2_client_id}</code>, {app.oauth2_client_type}
          </dd>
        </div>
      )}
      {app.previous_secret_until !== null && (
        <div>
          <dt>Former secret</dt>
          <dd>
            valid until <Time at={app.previous_secret_until} />
          </dd>
        </div>
      )}
      <div>
        <dt>Created</dt>
        <dd>
          <Time at={app.created_at} />
        </dd>
      </div>
    </dl>
  )
}

const OVERLAPS = [
  ['0s', 'not at all'],
  ['1h', 'an hour'],
  ['24h', '24 hours'],
  ['7d', '7 days'],
] as const

function Rotation({ app, changed }: { app: App; changed: () => void }) {
  const overlap = useSignal('24h')
  const secrets = useSignal<Secrets>([])
  const rotate = async () => {
    const { body } = await act<Changed>('PATCH', `apps/${app.id}`, { rotate_secret: { overlap: overlap.value } })
    secrets.value = secretsIn(body)
    changed()
    return 'The app has a new secret.'
  }
  return (
    <div class="tools">
      <label>
        The current secret stays valid{' '}
        <select value={overlap.value} onChange={(event) => (overlap.value = event.currentTarget.value)}>
          {OVERLAPS.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <Act label="Rotate the consumer secret" run={rotate} />
      {secrets.value.length > 0 && <SecretsDialog secrets={secrets.value} closed={() => (secrets.value = [])} />}
    </div>
  )
}

function Acts({ app, reload }: { app: App; reload: () => void }) {
  const changed = () => {
    reload()
    void readNames()
  }
  const change = async (json: object) => {
    await act('PATCH', `apps/${app.id}`, json)
    changed()
  }
  const suspend = async () => {
    await change({ suspended: !app.suspended })
    return app.suspended ? 'It is active again.' : 'It is suspended.'
  }
  return (
    <>
      <h2>Secret</h2>
      <Rotation app={app} changed={changed} />
      <h2>Access</h2>
      <Act label={app.suspended ? 'Resume the app' : 'Suspend the app'} run={suspend} />
      <h2>Limits and permissions</h2>
      <AppForm
        key={JSON.stringify(settingsOf(app))}
        settings={settingsOf(app)}
        label="Save"
        submit={async (settings) => {
          await change(settings)
          return 'Saved.'
        }}
      />
    </>
  )
}

function AppPage({ id }: { id: string }) {
  const { value, error, reload } = useLoaded(`app ${id}`, async () => ({
    app: (await readAll<App>('apps', 1000)).find((one) => one.id === id),
  }))
  return (
    <Page title={value?.app ? `App ${value.app.name}` : `App ${id}`} intro={<Steps />}>
      {error && <Failure error={error} retry={reload} />}
      {!value && !error && <p class="soft">Reading…</p>}
      {value && !value.app && <p class="empty">There is no app {id}.</p>}
      {value?.app && <AppFacts app={value.app} />}
      {value?.app && mayOperate() && <Acts app={value.app} reload={reload} />}
    </Page>
  )
}

function NewAppPage() {
  const made = useSignal<Changed | undefined>(undefined)
  const closed = () => {
    const id = made.value!.data.id
    made.value = undefined
    go(hrefOf('apps', id))
  }
  return (
    <Page title="Create an app" intro={<Steps />}>
      <AppForm
        settings={{ name: '', permissions: 'read_write_dm', webhook_limit: 5, usage_cap: null }}
        label="Create"
        submit={async (settings) => {
          made.value = (await act<Changed>('POST', 'apps', settings)).body
          void readNames()
          return 'The app is created.'
        }}
      />
      {made.value && <SecretsDialog secrets={secretsIn(made.value)} closed={closed} />}
    </Page>
  )
}

export const AppScreen: ScreenComponent = ({ steps: [id] }) => {
  if (id === 'new') return mayOperate() ? <NewAppPage /> : <NotFound />
  return /^\d{1,19}$/.test(id ?? '') ? <AppPage id={id!} /> : <NotFound />
}
