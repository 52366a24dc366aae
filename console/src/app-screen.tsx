import { useSignal } from '@preact/signals'
import { act, mayOperate } from './api.ts'
import { AppForm, NEW, settingsOf } from './app-form.tsx'
import { type Changed, Rotation, secretsIn } from './app-secrets.tsx'
import { readNames } from './names.ts'
import { Act } from './parts/act.tsx'
import { Empty } from './parts/empty.tsx'
import { Facts } from './parts/facts.tsx'
import { Loading, useData } from './parts/loaded.tsx'
import { NotFound, Page, type ScreenComponent } from './parts/page.tsx'
import { State } from './parts/state.tsx'
import { feedOf, go, hrefOf } from './router.tsx'
import { SecretsDialog } from './secrets-dialog.tsx'
import type { App } from './server-types.ts'
import { Time } from './time.tsx'
import { AppLoad, LoadPage } from './usage.tsx'

const ABOVE = { to: ['apps'], name: 'Apps' }

const AppFacts = ({ app }: { app: App }) => (
  <Facts
    of={[
      ['Id', <code>{app.id}</code>],
      [
        'State',
        <>
          <State of={app.suspended ? 'suspended' : 'active'} />
          {app.suspended && ': its calls are refused, and nothing is sent to its webhooks.'}
        </>,
      ],
      ['Consumer key', <code>{app.consumer_key}</code>],
      app.oauth2_client_id !== null && [
        'OAuth 2.0 client',
        <>
          <code>{app.oauth2_client_id}</code>, {app.oauth2_client_type}
        </>,
      ],
      app.previous_secret_until !== null && [
        'Former secret',
        <>
          valid until <Time at={app.previous_secret_until} />
        </>,
      ],
      ['Created', <Time at={app.created_at} />],
      ['Activity', <a href={feedOf({ app: app.id })}>its calls, events and deliveries in the feed</a>],
    ]}
  />
)

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
    <div class="side-by-side">
      <div>
        <h2>Limits and permissions</h2>
        <AppForm
          key={JSON.stringify(settingsOf(app))}
          settings={settingsOf(app)}
          label="Limits and permissions"
          submit="Save"
          save={async (settings) => {
            await change(settings)
            return 'Saved.'
          }}
        />
      </div>
      <div>
        <Rotation appId={app.id} changed={changed} />
        <h2>Access</h2>
        <Act label={app.suspended ? 'Resume the app' : 'Suspend the app'} run={suspend} />
        <h2>Portal</h2>
        <Empty command={`npx postern apps portal ${app.id}`}>
          For the people of this app: this makes a link, which works once, to its webhooks, deliveries and secret, and nothing else.
        </Empty>
      </div>
    </div>
  )
}

function AppPage({ id }: { id: string }) {
  const loaded = useData<App>(`apps/${id}`)
  return (
    <Page title={`App ${loaded.value?.name ?? id}`} above={ABOVE}>
      <Loading of={loaded}>
        {(app) => (
          <>
            <AppFacts app={app} />
            <AppLoad app={app} />
            {mayOperate() && <Acts app={app} reload={loaded.reload} />}
          </>
        )}
      </Loading>
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
    <Page title="Create an app" above={ABOVE}>
      <AppForm
        settings={NEW}
        label="Create an app"
        submit="Create"
        save={async (settings) => {
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
  if (id === 'load') return <LoadPage />
  if (id === 'new') return mayOperate() ? <NewAppPage /> : <NotFound />
  return /^\d{1,19}$/.test(id ?? '') ? <AppPage id={id!} /> : <NotFound />
}
