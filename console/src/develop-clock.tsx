import { useSignal } from '@preact/signals'
import { act, get, mayOperate } from './api.ts'
import { backToRealTime, type ClockMove, clockSaid, isMoved, moveClock, offsetMs, STEPS, sayOffset } from './clock-state.tsx'
import { appName, webhookName } from './names.ts'
import { Act } from './parts/act.tsx'
import { Empty } from './parts/empty.tsx'
import { ActForm, Field, filled } from './parts/form.tsx'
import { Loading, useLoaded } from './parts/loaded.tsx'
import { Page } from './parts/page.tsx'
import { Table } from './parts/table.tsx'
import { fromField, TimeField } from './parts/time-field.tsx'
import { useChange } from './parts/use-change.ts'
import { Link } from './router.tsx'
import type { Happened, ServerClock } from './server-types.ts'
import { nowMs, Time, writeDistance, writeTime } from './time.tsx'
import { useFresh } from './use-event.ts'

/** What things are called that are due, or that have happened. */
const KINDS: Record<string, string> = {
  delivery: 'Delivery',
  retry: 'Retry',
  replay: 'Delivery of a replay',
  replay_job: 'End of a replay',
  challenge: 'Challenge',
  scheduled_post: 'Scheduled post',
  feed: 'Product feed',
  product_set: 'Product set',
  image_check: 'Image check',
  upload: 'Upload',
  outbox: 'Events of actions',
  trim: 'Trim of the event log',
  former_secret: 'End of a former secret',
  not_awaited: 'Not awaited',
}

/** What a thing is about, from its ids. */
function About({ of }: { of: Record<string, string | undefined> }) {
  const { event_uuid, event_type, webhook_id, app_id, request } = of
  return (
    <>
      {event_uuid !== undefined && <Link to={['events', event_uuid]}>{event_type ?? event_uuid}</Link>}
      {webhook_id !== undefined && ` ${event_uuid === undefined ? '' : 'to '}${webhookName(webhook_id)}`}
      {app_id !== undefined && appName(app_id)}
      {request}
    </>
  )
}

const Due = ({ due }: Pick<ServerClock, 'due'>) => (
  <Table
    caption="What is due next, soonest first"
    columns={['When', 'In', 'What', 'About']}
    head={2}
    items={due}
    keyOf={(one) => `${one.kind} ${one.at} ${one.event_uuid} ${one.webhook_id}`}
    empty={<Empty>Nothing is due: no retry waits, no webhook is to be challenged.</Empty>}
    cells={(one) => [<Time at={one.at} />, writeDistance(one.at), KINDS[one.kind], <About of={one} />]}
  />
)

const What = ({ body: { data, meta } }: { body: Happened }) => (
  <Table
    caption={`What happened meanwhile, oldest first${meta ? `; the first ${data.happened.length}, and ${meta.more} more things` : ''}`}
    columns={['Time', 'What', 'About', 'Outcome']}
    head={1}
    items={data.happened}
    empty={<p>Nothing fell due.</p>}
    cells={(one) => [
      <Time at={one.at} />,
      KINDS[one.kind] ?? one.kind,
      <About of={one} />,
      `${one.outcome}${one.status ? ` (${one.status})` : ''}`,
    ]}
  />
)

interface Settled {
  data: { settled: boolean; under_way: { what: string }[] }
}

async function settle(): Promise<string> {
  const { body } = await act<Settled>('POST', 'settle', { timeout: '5s' })
  return body.data.settled ? 'Nothing is under way.' : body.data.under_way.map(({ what }) => `${what}.`).join(' ')
}

/** Reads the clock, moves it, and keeps what happened meanwhile. */
function useClock() {
  const happened = useSignal<Happened | undefined>(undefined)
  const said = useSignal('')
  const loaded = useLoaded('clock', async () => {
    const { body } = await get<{ data: ServerClock }>('clock?max_results=50')
    clockSaid(body.data)
    return body.data
  })
  useFresh(loaded, () => true)
  useChange(offsetMs, loaded.reload)
  const move = async (change: ClockMove) => {
    said.value = ''
    const body = await moveClock(change)
    happened.value = body
    loaded.reload()
    said.value = `The clock was moved to ${writeTime(body.data.now)}.`
    return ''
  }
  return { happened: happened.value, loaded, move, said }
}

export function ClockScreen() {
  const { happened, loaded, move, said } = useClock()
  const clock = loaded.value
  return (
    <Page title="Clock">
      <p>
        The server's clock shows <Time at={new Date(nowMs.value).toISOString()} to="second" />. {clock && sayOffset(offsetMs.value)}
      </p>
      <h2>Move it</h2>
      <p class="soft">
        Everything that falls due in between happens, and has ended before the answer: retries, challenges, scheduled posts.
      </p>
      <p class="tools">
        {STEPS.map(([advance, name]) => (
          <Act key={advance} label={`Advance ${name}`} disabled={!mayOperate()} run={() => move({ advance })} />
        ))}
        {isMoved() && <Act label="Back to the real time" disabled={!mayOperate()} run={() => move(backToRealTime())} />}
        <Act label="Wait until nothing is under way" disabled={!mayOperate()} run={settle} />
      </p>
      <p role="status">{said.value}</p>
      <div class="side-by-side">
        <ActForm label="Advance by a duration" submit="Advance" run={(form) => move({ advance: filled(form).advance ?? '' })}>
          <Field label="Advance by" name="advance" placeholder="90s" required hint="A duration such as 90s, 5m, 1h or 2d." />
        </ActForm>
        <ActForm label="Set to a time" submit="Set" run={(form) => move({ set: fromField(filled(form).set ?? '') ?? '' })}>
          <TimeField label="Set to" name="set" value={undefined} required hint="Not before the current time." />
        </ActForm>
      </div>
      {happened && <What body={happened} />}
      <h2>Due</h2>
      <Loading of={loaded}>{({ due }) => <Due due={due} />}</Loading>
    </Page>
  )
}
