import { mayOperate, portal } from './api.ts'
import { appName, isDevelopment, readAll } from './names.ts'
import { Empty } from './parts/empty.tsx'
import { Loading, useLoaded } from './parts/loaded.tsx'
import { Page } from './parts/page.tsx'
import { State } from './parts/state.tsx'
import { Table } from './parts/table.tsx'
import { feedOf, Link } from './router.tsx'
import type { App, Webhook } from './server-types.ts'
import { Time } from './time.tsx'
import { useFresh } from './use-event.ts'

function LastChallenge({ of }: { of: Webhook['last_challenge'] }) {
  if (!of) return <span class="soft">none yet</span>
  return (
    <>
      <State of={of.result} /> <Time at={of.at} />
      {of.failure !== null && <div>{of.failure}</div>}
    </>
  )
}

export const NoWebhooks = () =>
  isDevelopment.value ? (
    <Empty command="npx postern listen">
      No app has a webhook yet. This registers one that passes its challenge, and shows what it receives:
    </Empty>
  ) : (
    <Empty>
      {portal.value ? 'The app' : 'No app'} has {portal.value ? 'no' : 'a'} webhook yet. An app registers one with{' '}
      <code>POST /2/webhooks</code>.
    </Empty>
  )

export function WebhooksScreen() {
  const loaded = useLoaded('webhooks', () => readAll<Webhook>('webhooks', 100))
  useFresh(loaded, (update) => update.kind === 'challenge')
  return (
    <Page title="Webhooks" intro="Where apps receive events. An invalid webhook receives none until a challenge passes.">
      <Loading of={loaded}>
        {(webhooks) => (
          <Table
            caption="All webhooks"
            columns={['Callback', 'State', 'App', 'Last challenge', 'Backlog', 'Id', 'Deliveries']}
            items={webhooks}
            keyOf={({ id }) => id}
            empty={<NoWebhooks />}
            cells={({ id, url, valid, app_id, last_challenge, backlog }) => [
              <Link to={['webhooks', id]}>{url}</Link>,
              <State of={valid ? 'valid' : 'invalid'} />,
              appName(app_id),
              <LastChallenge of={last_challenge} />,
              backlog,
              <code>{id}</code>,
              <a href={feedOf({ webhook: id })} aria-label={`Deliveries to ${url}`}>
                Deliveries
              </a>,
            ]}
          />
        )}
      </Loading>
    </Page>
  )
}

const AppState = ({ app: { suspended, previous_secret_until } }: { app: App }) => (
  <>
    <State of={suspended ? 'suspended' : 'active'} />
    {previous_secret_until !== null && (
      <div>
        The former secret is valid until <Time at={previous_secret_until} />.
      </div>
    )}
  </>
)

export function AppsScreen() {
  const loaded = useLoaded('apps', () => Promise.all([readAll<App>('apps', 1000), readAll<Webhook>('webhooks', 100)]))
  return (
    <Page title="Apps" intro="Clients of the API, without their secrets.">
      {mayOperate() && (
        <p>
          <Link to={['apps', 'new']}>Create an app</Link>
        </p>
      )}
      <Loading of={loaded}>
        {([apps, webhooks]) => (
          <Table
            caption="All apps"
            columns={['App', 'State', 'Consumer key', 'Permissions', 'Webhooks', 'Created', 'Activity']}
            items={apps}
            keyOf={({ id }) => id}
            empty={<Empty command="npx postern apps create">There is no app yet. This makes one, and shows its secrets once:</Empty>}
            cells={(app) => [
              <>
                <Link to={['apps', app.id]}>{app.name}</Link> <span class="soft">{app.id}</span>
              </>,
              <AppState app={app} />,
              <code>{app.consumer_key}</code>,
              app.permissions.replaceAll('_', ' '),
              `${webhooks.filter(({ app_id }) => app_id === app.id).length} of ${app.webhook_limit}`,
              <Time at={app.created_at} />,
              <a href={feedOf({ app: app.id })} aria-label={`Activity of ${app.name} in the feed`}>
                Feed
              </a>,
            ]}
          />
        )}
      </Loading>
    </Page>
  )
}
