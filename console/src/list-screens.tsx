import { mayOperate } from './api.ts'
import { appName, isDevelopment, readAll } from './names.ts'
import { hrefOf, Link } from './router.tsx'
import type { App, Webhook } from './server-types.ts'
import { Time } from './time.tsx'
import { Command, Failure, Page, State, useLoaded } from './ui.tsx'
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

const feedOf = (query: Record<string, string>) => `${hrefOf()}?${new URLSearchParams(query)}`

function WebhookRow({ webhook }: { webhook: Webhook }) {
  return (
    <tr id={`webhook-${webhook.id}`}>
      <th scope="row" class="wrap">
        <Link to={['webhooks', webhook.id]}>{webhook.url}</Link>
      </th>
      <td data-label="State">
        <State of={webhook.valid ? 'valid' : 'invalid'} />
      </td>
      <td data-label="App">{appName(webhook.app_id)}</td>
      <td data-label="Last challenge">
        <LastChallenge of={webhook.last_challenge} />
      </td>
      <td data-label="Backlog">{webhook.backlog}</td>
      <td data-label="Id">
        <code>{webhook.id}</code>
      </td>
      <td data-label="Deliveries">
        <a href={feedOf({ webhook: webhook.id })} aria-label={`in the feed: deliveries to ${webhook.url}`}>
          in the feed
        </a>
      </td>
    </tr>
  )
}

export const ColumnHeads = ({ names }: { names: readonly string[] }) => (
  <thead>
    <tr>
      {names.map((name) => (
        <th scope="col" key={name}>
          {name}
        </th>
      ))}
    </tr>
  </thead>
)

const WEBHOOK_COLUMNS = ['Callback', 'State', 'App', 'Last challenge', 'Backlog', 'Id', 'Deliveries']

export function WebhooksScreen() {
  const loaded = useLoaded('webhooks', () => readAll<Webhook>('webhooks', 100))
  useFresh(loaded, (update) => update.kind === 'challenge')
  const { value: webhooks, error, reload } = loaded
  return (
    <Page title="Webhooks">
      {error && <Failure error={error} retry={reload} />}
      {!webhooks && !error && <p class="soft">Reading…</p>}
      {webhooks?.length === 0 &&
        (isDevelopment.value ? (
          <Command
            says="No app has a webhook yet. This registers one that passes its challenge, and shows what it receives:"
            command="npx postern listen"
          />
        ) : (
          <p class="empty">
            No app has a webhook yet. An app registers one with <code>POST /2/webhooks</code>.
          </p>
        ))}
      {webhooks && webhooks.length > 0 && (
        <table>
          <caption>Where apps receive events; an invalid webhook receives none until its app validates it</caption>
          <ColumnHeads names={WEBHOOK_COLUMNS} />
          <tbody>
            {webhooks.map((webhook) => (
              <WebhookRow key={webhook.id} webhook={webhook} />
            ))}
          </tbody>
        </table>
      )}
    </Page>
  )
}

const APP_COLUMNS = ['App', 'State', 'Consumer key', 'Permissions', 'Webhooks', 'Created', 'Activity']

function AppRow({ app, count }: { app: App; count: number }) {
  return (
    <tr>
      <th scope="row">
        <Link to={['apps', app.id]}>{app.name}</Link> <span class="soft">{app.id}</span>
      </th>
      <td data-label="State">
        <State of={app.suspended ? 'suspended' : 'active'} />
        {app.previous_secret_until !== null && (
          <div>
            The secret was rotated: the former one is valid until <Time at={app.previous_secret_until} />.
          </div>
        )}
      </td>
      <td data-label="Consumer key">
        <code>{app.consumer_key}</code>
      </td>
      <td data-label="Permissions">{app.permissions.replaceAll('_', ' ')}</td>
      <td data-label="Webhooks">
        <Link to={['webhooks']} aria-label={`${count} of ${app.webhook_limit} webhooks of ${app.name}`}>
          {count} of {app.webhook_limit}
        </Link>
      </td>
      <td data-label="Created">
        <Time at={app.created_at} />
      </td>
      <td data-label="Activity">
        <a href={feedOf({ app: app.id })} aria-label={`in the feed: activity of ${app.name}`}>
          in the feed
        </a>
      </td>
    </tr>
  )
}

export function AppsScreen() {
  const { value, error, reload } = useLoaded('apps', () => Promise.all([readAll<App>('apps', 1000), readAll<Webhook>('webhooks', 100)]))
  const [apps, webhooks] = value ?? []
  return (
    <Page title="Apps">
      {error && <Failure error={error} retry={reload} />}
      {!value && !error && <p class="soft">Reading…</p>}
      {mayOperate() && (
        <p>
          <Link to={['apps', 'new']}>Create an app</Link>
        </p>
      )}
      {apps?.length === 0 && (
        <Command says="There is no app yet. This makes one, and shows its secrets once:" command="npx postern apps create" />
      )}
      {apps && apps.length > 0 && (
        <table>
          <caption>Clients of the API, without their secrets</caption>
          <ColumnHeads names={APP_COLUMNS} />
          <tbody>
            {apps.map((app) => (
              <AppRow key={app.id} app={app} count={webhooks!.filter(({ app_id }) => app_id === app.id).length} />
            ))}
          </tbody>
        </table>
      )}
    </Page>
  )
}
