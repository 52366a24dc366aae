import { useSignal } from '@preact/signals'
import { act, get, mayOperate } from './api.ts'
import { ActForm, AppChoice, Field, filled, Heads } from './develop-parts.tsx'
import { appName } from './names.ts'
import { Link } from './router.tsx'
import type { Disorder, Drawn } from './server-types.ts'
import { Time } from './time.tsx'
import { Act, Failure, useLoaded } from './ui.tsx'
import { useFresh } from './use-event.ts'

const percent = (share: number) => `${Math.round(share * 1000) / 10} %`

function sentDisorder(form: FormData): Record<string, unknown> {
  const { seed, calls, deliveries, max_delay, app_id } = filled(form)
  return {
    ...(seed !== undefined && { seed: Number(seed) }),
    ...(calls !== undefined && { calls: Number(calls) / 100 }),
    ...(deliveries !== undefined && { deliveries: Number(deliveries) / 100 }),
    ...(max_delay !== undefined && { max_delay }),
    ...(app_id !== undefined && { app_id }),
  }
}

function DisorderForm({ begun }: { begun: () => void }) {
  const run = async (form: FormData) => {
    const { body } = await act<{ data: Disorder }>('POST', 'disorders', sentDisorder(form))
    begun()
    return `Disorder ${body.data.id} has begun, with the seed ${body.data.seed}.`
  }
  return (
    <ActForm label="Begin a disorder" submit="Begin disorder" run={run}>
      <Field
        label="Seed"
        name="seed"
        type="number"
        min="0"
        max="4294967295"
        hint="The same seed draws the same faults. Empty: a random one."
      />
      <Field label="Calls, in percent" name="calls" type="number" min="0" max="50" step="0.1" defaultValue="10" />
      <Field label="Attempts of deliveries, in percent" name="deliveries" type="number" min="0" max="50" step="0.1" defaultValue="10" />
      <Field label="Longest delay" name="max_delay" defaultValue="500ms" hint="At most 1m." />
      <AppChoice any="every app" />
    </ActForm>
  )
}

const DrawnFaults = ({ all }: { all: readonly Drawn[] }) =>
  all.length === 0 ? (
    <p class="soft">None was drawn yet.</p>
  ) : (
    <table>
      <caption>The last faults that it drew, oldest first</caption>
      <Heads names={['Time', 'What', 'What went wrong', 'Count']} />
      <tbody>
        {all.map((one) => (
          <tr key={one.fault}>
            <td data-label="Time">
              <Time at={one.at} short />
            </td>
            <th scope="row">{one.event_uuid === undefined ? one.what : <Link to={['events', one.event_uuid]}>{one.what}</Link>}</th>
            <td data-label="What went wrong">{[one.kind, one.status, one.delay].filter(Boolean).join(' ')}</td>
            <td data-label="Count">{one.count}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )

function DrawnOf({ id }: { id: string }) {
  const loaded = useLoaded(id, async () => (await get<{ data: { drawn: Drawn[] } }>(`disorders/${id}`)).body.data.drawn)
  useFresh(loaded, () => true)
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />
  return loaded.value ? <DrawnFaults all={loaded.value} /> : <p class="soft">Reading…</p>
}

function DisorderItem({ disorder, ended }: { disorder: Disorder; ended: () => void }) {
  const isOpen = useSignal(false)
  const { id, seed, calls, deliveries, app_id, counts } = disorder
  const end = async () => {
    await act('DELETE', `disorders/${id}`)
    ended()
    return ''
  }
  return (
    <li>
      <p>
        <strong>Disorder {id}</strong>, seed <code>{seed}</code>, {app_id === undefined ? 'every app' : appName(app_id)}: {percent(calls)}{' '}
        of calls ({counts.calls.hit} of {counts.calls.seen} were hit), {percent(deliveries)} of attempts ({counts.deliveries.hit} of{' '}
        {counts.deliveries.seen}).
      </p>
      <p class="tools">
        <button type="button" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
          What disorder {id} drew
        </button>
        <Act label={`End disorder ${id}`} disabled={!mayOperate()} run={end} />
      </p>
      {isOpen.value && <DrawnOf id={id} />}
    </li>
  )
}

/** Disorders: faults that are drawn from a seed. */
export function DisordersSection() {
  const loaded = useLoaded('disorders', async () => (await get<{ data: Disorder[] }>('disorders')).body.data)
  useFresh(loaded, () => true)
  const { value: disorders, error, reload } = loaded
  return (
    <>
      <h2>Disorder</h2>
      <p class="soft">Faults that a seed draws, for a share of all calls and attempts.</p>
      {error && <Failure error={error} retry={reload} />}
      {disorders && disorders.length > 0 && (
        <ul class="plain">
          {disorders.map((disorder) => (
            <DisorderItem key={disorder.id} disorder={disorder} ended={reload} />
          ))}
        </ul>
      )}
      <DisorderForm begun={reload} />
    </>
  )
}
