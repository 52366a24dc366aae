import { useSignal } from '@preact/signals'
import { act, get, mayActForApp, mayOperate, portal } from './api.ts'
import { quote } from './copy-texts.ts'
import type { OperatorAnswers } from './declared.ts'
import { isDevelopment, readNames } from './names.ts'
import { Act } from './parts/act.tsx'
import { AppLink } from './parts/app-link.tsx'
import { Empty } from './parts/empty.tsx'
import { Facts } from './parts/facts.tsx'
import { ActForm, Field, filled } from './parts/form.tsx'
import { Loading, useLoaded } from './parts/loaded.tsx'
import { NotFound, Page, type ScreenComponent } from './parts/page.tsx'
import { State } from './parts/state.tsx'
import { Table } from './parts/table.tsx'
import { ReplaySection } from './replay-section.tsx'
import { ResendMatching } from './resend.tsx'
import { deliveriesTo } from './router.tsx'
import type { Webhook } from './server-types.ts'
import { Time } from './time.tsx'
import { useFresh } from './use-event.ts'
import { WebhookSubscriptions } from './webhook-subscriptions.tsx'
import { writeBacklog } from './words.ts'

const WebhookFacts = ({ webhook: { id, url, valid, app_id, created_at, last_challenge: last, backlog } }: { webhook: Webhook }) => (
  <Facts
    of={[
      ['Callback', <code>{url}</code>],
      [
        'State',
        <>
          <State of={valid ? 'valid' : 'invalid'} />
          {!valid && ': it receives nothing until a challenge passes.'}
        </>,
      ],
      ['App', <AppLink id={app_id} />],
      [
        'Last challenge',
        last ? (
          <>
            <State of={last.result} /> at <Time at={last.at} />
            {last.failure !== null && `: ${last.failure}`}
          </>
        ) : (
          'none yet'
        ),
      ],
      [
        'Backlog',
        <>
          {backlog === null ? 'Not known how many are' : writeBacklog(backlog)} waiting or retrying.{' '}
          <a href={deliveriesTo(id)}>Deliveries</a>
        </>,
      ],
      ['Registered', <Time at={created_at} />],
    ]}
  />
)

type Challenged = OperatorAnswers['POST /operator/webhooks/:webhook_id/challenge']['data']

const STEPS: Record<Challenged['steps'][number]['step'], string> = {
  resolve: 'Resolve the name',
  address: 'Check the address',
  connect: 'Connect',
  tls: 'TLS',
  request: 'Send the request',
  status: 'Status',
  body: 'Body',
  signature: 'Compare the signature',
}

/** A challenge that was just made, as far as it came. */
const ChallengeSteps = ({ steps }: { steps: Challenged['steps'] }) => (
  <Table
    caption={`The steps of this challenge${steps.every(({ outcome }) => outcome === 'ok') ? '' : ', up to the one that failed'}`}
    columns={['Step', 'Result', 'Took', 'What was found']}
    items={steps}
    cells={({ step, outcome, ms, says, mend }) => [
      STEPS[step],
      <State of={outcome === 'ok' ? 'passed' : 'failed'} />,
      `${ms} ms`,
      <>
        {says}
        {mend !== undefined && <div>{mend}</div>}
      </>,
    ]}
  />
)

function TryChallenge({ id, reload }: { id: string; reload: () => void }) {
  const steps = useSignal<Challenged['steps']>([])
  const challenge = async () => {
    steps.value = []
    const { data } = (await act<{ data: Challenged }>('POST', `webhooks/${id}/challenge`)).body
    steps.value = data.steps
    reload()
    void readNames()
    return data.valid ? 'It passed: the webhook is valid.' : `It failed: ${data.failure}`
  }
  return (
    <>
      <Act label="Try a challenge" run={challenge} />
      <ChallengeSteps steps={steps.value} />
    </>
  )
}

/** The challenges that decided what the webhook is. */
function ChallengeHistory({ id, lastAt }: { id: string; lastAt: string | undefined }) {
  const loaded = useLoaded(`${id} ${lastAt}`, async () => {
    return (await get<OperatorAnswers['GET /operator/webhooks/:webhook_id/challenges']>(`webhooks/${id}/challenges`)).body.data
  })
  return (
    <Loading of={loaded}>
      {(challenges) => (
        <Table
          caption="Challenges that decided whether it is valid, newest first. It is also challenged every hour"
          columns={['Time', 'Result', 'Reason']}
          items={challenges}
          cells={({ at, result, failure }) => [<Time at={at} />, <State of={result} />, failure ?? '–']}
        />
      )}
    </Loading>
  )
}

const ChallengeSection = ({ webhook: { id, url, last_challenge }, reload }: SectionProps) => (
  <>
    <h2>Challenge</h2>
    {mayOperate() && <TryChallenge id={id} reload={reload} />}
    {!portal.value && <ChallengeHistory id={id} lastAt={last_challenge?.at} />}
    <Empty command={`npx postern doctor ${quote(url)}`}>
      From a machine that has the secret, this tries a challenge and events: signed rightly, one of them twice, and signed wrongly.
    </Empty>
  </>
)

type Triggered = OperatorAnswers['POST /operator/trigger']

/** What came of an example, for one webhook. */
function told({ data, meta }: Triggered, id: string): string {
  const delivery = data.deliveries?.find(({ webhook_id }) => webhook_id === id)
  if (!delivery) return ['This webhook did not get it.', ...(meta.reasons ?? ['No subscription of it matches.'])].join(' ')
  const { outcome, status, error, reason } = delivery
  return [`It is ${outcome.replace('_', ' ')}${status === null ? '' : `, answered ${status}`}.`, error, reason].filter(Boolean).join(' ')
}

function ExampleSection({ id, reload }: { id: string; reload: () => void }) {
  const send = async (data: FormData) => {
    const { body } = await act<Triggered>('POST', 'trigger', filled(data))
    reload()
    return told(body, id)
  }
  return (
    <>
      <h2>Send an example</h2>
      <ActForm label="Send an example" submit="Send" run={send}>
        <Field label="Event type" name="event_type" required defaultValue="dm.received" />
      </ActForm>
    </>
  )
}

const SendAgain = ({ webhook: { id, valid } }: { webhook: Webhook }) => (
  <>
    <h2>Send again</h2>
    {valid ? (
      <>
        <ResendMatching filter={{ webhook: id }} label="Resend the failed deliveries" />
        <ReplaySection webhookId={id} />
      </>
    ) : (
      <Empty>
        Nothing is sent to an invalid webhook. {portal.value ? 'Its app validates it with PUT /2/webhooks/:id.' : 'Challenge it first.'}
      </Empty>
    )}
  </>
)

interface SectionProps {
  webhook: Webhook
  reload: () => void
}

const Sections = ({ webhook, reload }: SectionProps) => (
  <>
    <WebhookFacts webhook={webhook} />
    <ChallengeSection webhook={webhook} reload={reload} />
    {!portal.value && <WebhookSubscriptions id={webhook.id} />}
    {mayOperate() && isDevelopment.value && <ExampleSection id={webhook.id} reload={reload} />}
    {mayActForApp() && <SendAgain webhook={webhook} />}
  </>
)

/** The list is in the order of ids, so that a page after the id before begins with the webhook, if there is one. */
async function readWebhook(id: string): Promise<{ webhook: Webhook | undefined }> {
  const before = id === '0' ? '' : `&after=${BigInt(id) - 1n}`
  const { data } = (await get<{ data: Webhook[] }>(`webhooks?max_results=1${before}`)).body
  return { webhook: data.find((one) => one.id === id) }
}

function WebhookPage({ id }: { id: string }) {
  const loaded = useLoaded(`webhook ${id}`, () => readWebhook(id))
  useFresh(loaded, (update) => (update.kind === 'challenge' || update.kind === 'attempt') && update.webhook_id === id)
  return (
    <Page title={`Webhook ${id}`} above={{ to: ['webhooks'], name: 'Webhooks' }}>
      <Loading of={loaded}>
        {({ webhook }) =>
          webhook ? (
            <Sections webhook={webhook} reload={loaded.reload} />
          ) : (
            <Empty>There is no webhook {id}: it was deleted, or never registered.</Empty>
          )
        }
      </Loading>
    </Page>
  )
}

export const WebhookScreen: ScreenComponent = ({ steps: [id] }) => (/^\d{1,19}$/.test(id ?? '') ? <WebhookPage id={id!} /> : <NotFound />)
