import { portal } from './api.ts'
import { Rotation } from './app-secrets.tsx'
import { NoWebhooks } from './list-screens.tsx'
import { webhookName, webhooks } from './names.ts'
import { Empty } from './parts/empty.tsx'
import { Choice } from './parts/form.tsx'
import { Loading } from './parts/loaded.tsx'
import { Page } from './parts/page.tsx'
import { Pager, usePage } from './parts/pager.tsx'
import { State } from './parts/state.tsx'
import { Table } from './parts/table.tsx'
import { Link, place, setQuery } from './router.tsx'
import type { Delivery } from './server-types.ts'
import { Time } from './time.tsx'
import { useFresh } from './use-event.ts'

function Deliveries({ webhookId }: { webhookId: string }) {
  const loaded = usePage<Delivery>('deliveries', { webhook_id: webhookId, max_results: '50' })
  useFresh(loaded, () => false)
  return (
    <Loading of={loaded}>
      {({ data }) => (
        <>
          <Table
            caption={`Deliveries to ${webhookName(webhookId)}, newest first`}
            columns={['Event', 'State', 'Accepted', 'Attempts', 'Last answer']}
            items={data}
            keyOf={({ event_uuid }) => event_uuid}
            empty={<Empty>Nothing was sent to this webhook in the last 24 hours.</Empty>}
            cells={({ event_uuid, event_type, webhook_id, state, accepted_at, attempts }) => [
              <Link to={['events', event_uuid, webhook_id]}>{event_type}</Link>,
              <State of={state} />,
              <Time at={accepted_at} />,
              attempts.length,
              attempts.at(-1)?.error || (attempts.at(-1)?.status ?? ''),
            ]}
          />
          <Pager of={loaded} />
        </>
      )}
    </Loading>
  )
}

/** The first screen of a portal: what was sent to a webhook of the app. */
export function PortalScreen() {
  const asked = place.value.query.get('webhook')
  const chosen = webhooks.value.find(({ id }) => id === asked) ?? webhooks.value[0]
  return (
    <Page title={`Deliveries of ${portal.value?.app_name}`}>
      {chosen ? (
        <>
          <div class="tools">
            <Choice
              label="Webhook"
              name="webhook"
              options={webhooks.value.map(({ id, url }) => [id, url])}
              value={chosen.id}
              choose={(webhook) => setQuery({ webhook, before: undefined })}
            />
            <Link to={['webhooks', chosen.id]}>Resend or replay</Link>
          </div>
          <Deliveries key={chosen.id} webhookId={chosen.id} />
        </>
      ) : (
        <NoWebhooks />
      )}
      <Rotation appId={portal.value!.app_id} />
    </Page>
  )
}
