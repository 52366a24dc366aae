import { portal } from './api.ts'
import { Rotation } from './app-secrets.tsx'
import { DeliveryList } from './deliveries-screen.tsx'
import { NoWebhooks } from './list-screens.tsx'
import { webhookName, webhooks } from './names.ts'
import { Choice } from './parts/form.tsx'
import { Page } from './parts/page.tsx'
import { Link, place, setQuery } from './router.tsx'

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
          <DeliveryList
            key={chosen.id}
            filters={{ webhook_id: chosen.id }}
            caption={`Deliveries to ${webhookName(chosen.id)}, newest first`}
            empty="Nothing was sent to this webhook in the last 24 hours."
          />
        </>
      ) : (
        <NoWebhooks />
      )}
      <Rotation appId={portal.value!.app_id} />
    </Page>
  )
}
