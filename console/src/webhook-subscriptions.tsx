import { get } from './api.ts'
import { userName } from './names.ts'
import { Empty } from './parts/empty.tsx'
import { Loading, useLoaded } from './parts/loaded.tsx'
import { Sentence } from './parts/sentence.tsx'
import { State } from './parts/state.tsx'
import { Table } from './parts/table.tsx'
import type { WebhookSubscription } from './server-types.ts'

interface SubscriptionPage {
  data: WebhookSubscription[]
  meta: { next_after?: string }
}

/** `about Ada (101), keyword: tide`. */
const filterWords = ({ filter: { user_id, keyword, direction } }: WebhookSubscription) =>
  [user_id !== undefined && `about ${userName(user_id)}`, keyword !== undefined && `keyword: ${keyword}`, direction]
    .filter(Boolean)
    .join(', ') || 'none'

/** Which subscriptions bring events to a webhook, and which cannot. */
export const WebhookSubscriptions = ({ id }: { id: string }) => (
  <>
    <h2>Subscriptions</h2>
    <Loading of={useLoaded(`subscriptions ${id}`, async () => (await get<SubscriptionPage>(`webhooks/${id}/subscriptions`)).body)}>
      {({ data, meta }) => (
        <>
          <Table
            caption="What goes to this webhook"
            columns={['Event type', 'Filter', 'State', 'Id']}
            items={data}
            keyOf={({ subscription_id }) => subscription_id}
            empty={<Empty command="POST /2/activity/subscriptions">None: nothing goes to this webhook. Create one:</Empty>}
            cells={(subscription) => [
              subscription.event_type,
              filterWords(subscription),
              subscription.no_effect === undefined ? (
                <State of="active" />
              ) : (
                <>
                  <State of="no_effect" />: <Sentence of={subscription.no_effect} />
                </>
              ),
              <code>{subscription.subscription_id}</code>,
            ]}
          />
          {meta.next_after !== undefined && <p class="soft">The first {data.length} are shown.</p>}
        </>
      )}
    </Loading>
  </>
)
