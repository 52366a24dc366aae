import { webhookName, webhooks } from './names.ts'
import { Empty } from './parts/empty.tsx'
import { Choice } from './parts/form.tsx'
import { Loading } from './parts/loaded.tsx'
import { Page } from './parts/page.tsx'
import { Pager, setFilter, usePage } from './parts/pager.tsx'
import { State, wordsOf } from './parts/state.tsx'
import { Table } from './parts/table.tsx'
import { TimeField } from './parts/time-field.tsx'
import { filtersHere, Link } from './router.tsx'
import type { Delivery } from './server-types.ts'
import { Time } from './time.tsx'
import { useFresh } from './use-event.ts'

interface ListProps {
  filters: Partial<Record<string, string>>
  caption: string
  empty: string
}

/** Deliveries that match filters of the endpoint, page by page. */
export function DeliveryList({ filters, caption, empty }: ListProps) {
  const loaded = usePage<Delivery>('deliveries', { max_results: '50', ...filters })
  const hasWebhook = filters.webhook_id === undefined
  useFresh(loaded, () => false)
  return (
    <Loading of={loaded}>
      {({ data, meta }) => (
        <>
          <Table
            caption={caption}
            columns={['Event', ...(hasWebhook ? ['Webhook'] : []), 'State', 'Accepted', 'Attempts', 'Last answer', 'Next attempt']}
            items={data}
            keyOf={({ event_uuid, webhook_id }) => `${event_uuid} ${webhook_id}`}
            empty={
              <Empty>
                {meta.next_before === undefined
                  ? empty
                  : 'None of the 10,000 events that were looked at matches. Older looks further back.'}
              </Empty>
            }
            cells={({ event_uuid, event_type, webhook_id, state, accepted_at, attempts, next_try_at }) => [
              <Link to={['events', event_uuid, webhook_id]}>{event_type}</Link>,
              ...(hasWebhook ? [webhookName(webhook_id)] : []),
              <State of={state} />,
              <Time at={accepted_at} short />,
              attempts.length,
              attempts.at(-1)?.error || (attempts.at(-1)?.status ?? ''),
              next_try_at !== null && <Time at={next_try_at} to="second" short />,
            ]}
          />
          <Pager of={loaded} />
        </>
      )}
    </Loading>
  )
}

const STATES = ['pending', 'retrying', 'delivered', 'given_up', 'not_sent'].map((state) => [state, wordsOf(state)] as const)

const TIMES = { next_try_from: 'Next attempt from', next_try_to: 'Next attempt before' } as const
const FILTERS = ['state', 'webhook_id', ...Object.keys(TIMES)]

/** Every delivery that is kept, by its state and when its next attempt comes. */
export function DeliveriesScreen() {
  const filters = filtersHere(FILTERS)
  return (
    <Page title="Deliveries" above={{ to: [], name: 'Feed' }} intro="All that are kept, not only those that the feed shows.">
      <form class="tools" onSubmit={(event) => event.preventDefault()} aria-label="Filters">
        <Choice
          label="State"
          name="state"
          options={[['', 'any'], ...STATES]}
          value={filters.state ?? ''}
          choose={(state) => setFilter('state', state)}
        />
        <Choice
          label="Webhook"
          name="webhook_id"
          options={[['', 'any'], ...webhooks.value.map(({ id }) => [id, webhookName(id)] as const)]}
          value={filters.webhook_id ?? ''}
          choose={(id) => setFilter('webhook_id', id)}
        />
        {Object.entries(TIMES).map(([name, label]) => (
          <TimeField key={name} label={label} name={name} value={filters[name]} choose={(iso) => setFilter(name, iso)} />
        ))}
      </form>
      <DeliveryList filters={filters} caption="Deliveries, of the newest events first" empty="No delivery matches." />
    </Page>
  )
}
