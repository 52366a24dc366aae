import { mayOperate, portal } from './api.ts'
import { apps, isDevelopment, MOST_WEBHOOKS, webhooks } from './names.ts'
import { AppLink } from './parts/app-link.tsx'
import { Empty } from './parts/empty.tsx'
import { Choice } from './parts/form.tsx'
import { Loading } from './parts/loaded.tsx'
import { Page } from './parts/page.tsx'
import { Pager, setFilter, usePage } from './parts/pager.tsx'
import { State } from './parts/state.tsx'
import { Table } from './parts/table.tsx'
import { deliveriesTo, feedOf, filtersHere, Link, webhooksOf } from './router.tsx'
import type { App, Webhook } from './server-types.ts'
import { Time } from './time.tsx'
import { useFresh } from './use-event.ts'
import { writeBacklog } from './words.ts'

function LastChallenge({ of }: { of: Webhook['last_challenge'] }) {
  if (!of) return <span class="soft">none yet</span>
  return (
    <>
      <State of={of.result} /> <Time at={of.at} to="second" short />
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

const PAGE = '100'

export function WebhooksScreen() {
  const filters = filtersHere(['valid', 'app_id'])
  const isNarrowed = Object.keys(filters).length > 0
  const loaded = usePage<Webhook>('webhooks', { max_results: PAGE, ...filters }, 'after')
  useFresh(loaded, (update) => update.kind === 'challenge')
  return (
    <Page title="Webhooks" intro="Where apps receive events. An invalid webhook receives none until a challenge passes.">
      <form class="tools" onSubmit={(event) => event.preventDefault()} aria-label="Filters">
        <Choice
          label="State"
          name="valid"
          options={[
            ['', 'any'],
            ['true', 'valid'],
            ['false', 'invalid'],
          ]}
          value={filters.valid ?? ''}
          choose={(valid) => setFilter('valid', valid)}
        />
        {!portal.value && (
          <Choice
            label="App"
            name="app_id"
            options={[['', 'any'], ...apps.value.map(({ id, name }) => [id, name] as const)]}
            value={filters.app_id ?? ''}
            choose={(id) => setFilter('app_id', id)}
          />
        )}
      </form>
      <Loading of={loaded}>
        {({ data }) => (
          <>
            <Table
              caption="Webhooks, in the order of their ids"
              columns={['Callback', 'State', 'App', 'Last challenge', 'Backlog', 'Id', 'Deliveries']}
              items={data}
              keyOf={({ id }) => id}
              empty={isNarrowed ? <Empty>No webhook matches.</Empty> : <NoWebhooks />}
              cells={({ id, url, valid, app_id, last_challenge, backlog }) => [
                <Link to={['webhooks', id]}>{url}</Link>,
                <State of={valid ? 'valid' : 'invalid'} />,
                <AppLink id={app_id} />,
                <LastChallenge of={last_challenge} />,
                backlog === null ? '–' : writeBacklog(backlog),
                <code>{id}</code>,
                <a href={deliveriesTo(id)} aria-label={`Deliveries to ${url}`}>
                  Deliveries
                </a>,
              ]}
            />
            <Pager of={loaded} cursor="after" />
          </>
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
        The former secret is valid until <Time at={previous_secret_until} to="second" />.
      </div>
    )}
  </>
)

/** How many webhooks an app has, where all are known. */
function WebhookCount({ app: { id, name, webhook_limit } }: { app: App }) {
  const isKnown = webhooks.value.length < MOST_WEBHOOKS
  return (
    <a href={webhooksOf({ app_id: id })}>
      {isKnown ? `${webhooks.value.filter(({ app_id }) => app_id === id).length} of ${webhook_limit}` : `at most ${webhook_limit}`}
      <span class="hidden"> webhooks of {name}</span>
    </a>
  )
}

export function AppsScreen() {
  const loaded = usePage<App>('apps', { max_results: PAGE }, 'after')
  return (
    <Page title="Apps" intro="Clients of the API, without their secrets.">
      <p class="tools">
        <Link to={['apps', 'load']}>Load by app</Link>
        {mayOperate() && <Link to={['apps', 'new']}>Create an app</Link>}
      </p>
      <Loading of={loaded}>
        {({ data }) => (
          <>
            <Table
              caption="Apps, oldest first"
              columns={['App', 'State', 'Consumer key', 'Permissions', 'Webhooks', 'Created', 'Activity']}
              items={data}
              keyOf={({ id }) => id}
              empty={<Empty command="npx postern apps create">There is no app yet. This makes one, and shows its secrets once:</Empty>}
              cells={(app) => [
                <>
                  <Link to={['apps', app.id]}>{app.name}</Link> <span class="soft">{app.id}</span>
                </>,
                <AppState app={app} />,
                <code>{app.consumer_key}</code>,
                app.permissions.replaceAll('_', ' '),
                <WebhookCount app={app} />,
                <Time at={app.created_at} to="second" />,
                <a href={feedOf({ app: app.id })} aria-label={`Activity of ${app.name} in the feed`}>
                  Feed
                </a>,
              ]}
            />
            <Pager of={loaded} cursor="after" />
          </>
        )}
      </Loading>
    </Page>
  )
}
