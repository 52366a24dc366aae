import { useSignal } from '@preact/signals'
import { act, mayOperate } from './api.ts'
import type { OperatorAnswers } from './declared.ts'
import { appName, isDevelopment, readAll, readNames } from './names.ts'
import { ReplaySection } from './replay-section.tsx'
import { ResendMatching } from './resend.tsx'
import { hrefOf, Link } from './router.tsx'
import type { Webhook } from './server-types.ts'
import { Time } from './time.tsx'
import { Act, Command, Failure, NotFound, Page, type ScreenComponent, State, useLoaded } from './ui.tsx'
import { useFresh } from './use-event.ts'

function WebhookFacts({ webhook: { id, url, valid, app_id, created_at, last_challenge: last, backlog } }: { webhook: Webhook }) {
  return (
    <dl class="facts">
      <div>
        <dt>Callback</dt>
        <dd>
          <code>{url}</code>
        </dd>
      </div>
      <div>
        <dt>State</dt>
        <dd>
          <State of={valid ? 'valid' : 'invalid'} />
          {!valid && ': it receives nothing until a challenge passes.'}
        </dd>
      </div>
      <div>
        <dt>App</dt>
        <dd>
          <Link to={['apps', app_id]}>{appName(app_id)}</Link>
        </dd>
      </div>
      <div>
        <dt>Last challenge</dt>
        <dd>
          {last ? (
            <>
              <State of={last.result} /> at <Time at={last.at} />
              {last.failure !== null && `: ${last.failure}`}
            </>
          ) : (
            'none yet'
          )}
        </dd>
      </div>
      <div>
        <dt>Backlog</dt>
        <dd>
          {backlog} waiting or retrying, <a href={`${hrefOf()}?${new URLSearchParams({ webhook: id })}`}>deliveries in the feed</a>
        </dd>
      </div>
      <div>
        <dt>Registered</dt>
        <dd>
          <Time at={created_at} />
        </dd>
      </div>
    </dl>
  )
}

const challenge = (id: string, done: () => void) => async () => {
  const { data } = (await act<OperatorAnswers['POST /operator/webhooks/:webhook_id/challenge']>('POST', `webhooks/${id}/challenge`)).body
  done()
  void readNames()
  return data.valid ? 'It passed: the webhook is valid.' : `It failed: ${data.failure}`
}

/** A text as one word of a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

function ChallengeSection({ webhook: { id, url }, reload }: { webhook: Webhook; reload: () => void }) {
  return (
    <>
      <h2>Challenge</h2>
      {mayOperate() && (
        <p>
          <Act label="Challenge now" run={challenge(id, reload)} />
        </p>
      )}
      <Command
        says="Each step by itself (name, connection, TLS, challenges, signatures, an event sent twice), with what to mend, from a machine that has the secret:"
        command={`npx postern doctor ${quoted(url)}`}
      />
    </>
  )
}

type Triggered = OperatorAnswers['POST /operator/trigger']

/** What came of an example, for one webhook. */
function told({ data, meta }: Triggered, id: string): string {
  const delivery = data.deliveries?.find(({ webhook_id }) => webhook_id === id)
  if (!delivery) return ['This webhook did not get it.', ...(meta.reasons ?? ['No subscription of it matches.'])].join(' ')
  const { outcome, status, error, reason } = delivery
  return [`It is ${outcome.replace('_', ' ')}${status === null ? '' : `, answered ${status}`}.`, error, reason].filter(Boolean).join(' ')
}

function ExampleSection({ id, reload }: { id: string; reload: () => void }) {
  const type = useSignal('dm.received')
  const send = async () => {
    const { body } = await act<Triggered>('POST', 'trigger', { event_type: type.value.trim() })
    reload()
    return told(body, id)
  }
  return (
    <>
      <h2>Send an example</h2>
      <div class="tools">
        <label>
          Event type{' '}
          <input type="text" value={type.value} onInput={({ currentTarget: { value } }) => (type.value = value)} spellcheck={false} />
        </label>
        <Act label="Send" run={send} disabled={type.value.trim() === ''} />
      </div>
    </>
  )
}

function Sections({ webhook, reload }: { webhook: Webhook; reload: () => void }) {
  const { id, valid } = webhook
  return (
    <>
      <WebhookFacts webhook={webhook} />
      <ChallengeSection webhook={webhook} reload={reload} />
      {mayOperate() && isDevelopment.value && <ExampleSection id={id} reload={reload} />}
      {mayOperate() && (
        <>
          <h2>Send again</h2>
          {valid ? (
            <>
              <ResendMatching filter={{ webhook: id }} label="Resend the failed deliveries" />
              <ReplaySection webhookId={id} />
            </>
          ) : (
            <p class="empty">Nothing is sent to an invalid webhook. Challenge it first.</p>
          )}
        </>
      )}
    </>
  )
}

function WebhookPage({ id }: { id: string }) {
  const loaded = useLoaded(`webhook ${id}`, async () => ({
    webhook: (await readAll<Webhook>('webhooks', 100)).find((one) => one.id === id),
  }))
  useFresh(loaded, (update) => (update.kind === 'challenge' || update.kind === 'attempt') && update.webhook_id === id)
  const { value, error, reload } = loaded
  return (
    <Page
      title={`Webhook ${id}`}
      intro={
        <p>
          <Link to={['webhooks']}>Webhooks</Link>
        </p>
      }
    >
      {error && <Failure error={error} retry={reload} />}
      {!value && !error && <p class="soft">Reading…</p>}
      {value && !value.webhook && <p class="empty">There is no webhook {id}: it was deleted, or never registered.</p>}
      {value?.webhook && <Sections webhook={value.webhook} reload={reload} />}
    </Page>
  )
}

export const WebhookScreen: ScreenComponent = ({ steps: [id] }) => (/^\d{1,19}$/.test(id ?? '') ? <WebhookPage id={id!} /> : <NotFound />)
