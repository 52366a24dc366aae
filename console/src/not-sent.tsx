import { portal } from './api.ts'
import { webhooks } from './names.ts'
import { AppLink } from './parts/app-link.tsx'
import { hrefOf, Link } from './router.tsx'
import type { EventDelivery } from './server-types.ts'
import { Time } from './time.tsx'

/** What a webhook is now that was invalid when an event came, and what to do. */
function Invalid({ webhookId }: { webhookId: string }) {
  const webhook = webhooks.value.find(({ id }) => id === webhookId)
  if (!webhook) return null
  const link = <Link to={['webhooks', webhookId]}>the page of the webhook</Link>
  if (webhook.valid) return <p>The webhook was invalid then and is valid now: resend the event, or replay all that it missed on {link}.</p>
  const { last_challenge: last } = webhook
  return (
    <>
      <p>
        The webhook is invalid: it receives nothing until it passes a challenge.
        {last?.failure && (
          <>
            {' '}
            Its last challenge failed at <Time at={last.at} />: {last.failure.replace(/\.?$/, '.')}
          </>
        )}
      </p>
      <p>
        Mend the callback, {portal.value ? 'validate it with PUT /2/webhooks/:id' : <>challenge it on {link}</>}, and then resend this
        event.
      </p>
    </>
  )
}

/** Why an event was not sent to a webhook, as that is now, and what to do. */
export function NotSent({ delivery: { state, webhook_id, app_id, user_id, attempts } }: { delivery: EventDelivery }) {
  if (state !== 'not_sent') return null
  const reason = attempts.at(-1)?.error
  if (reason === 'webhook invalid') return <Invalid webhookId={webhook_id} />
  if (reason === 'app suspended' && app_id !== null)
    return (
      <p>
        The app <AppLink id={app_id} /> was suspended: resume it, and then resend this event.
      </p>
    )
  if (reason === 'quota' && app_id !== null && !portal.value)
    return (
      <p>
        The page of the app <AppLink id={app_id} /> has its quotas: raise one, or wait for the next month (UTC).
      </p>
    )
  if (reason === 'consent revoked' && !portal.value)
    return (
      <p>
        Where an operator ended it, <a href={`${hrefOf('operate', 'audit')}?target=${user_id}`}>the audit log</a> says who and when. What
        this user grants now stands on <a href={`${hrefOf('operate', 'revoke')}?user=${user_id}`}>the page to revoke</a>.
      </p>
    )
  return null
}
