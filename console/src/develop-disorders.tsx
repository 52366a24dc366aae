import { useSignal } from '@preact/signals'
import { act, mayOperate } from './api.ts'
import { appName } from './names.ts'
import { Act } from './parts/act.tsx'
import { ActForm, AppChoice, Field, filled } from './parts/form.tsx'
import { Loading, useData } from './parts/loaded.tsx'
import { Table } from './parts/table.tsx'
import { Link } from './router.tsx'
import type { Disorder, Drawn } from './server-types.ts'
import { Time } from './time.tsx'
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

function DrawnOf({ id }: { id: string }) {
  const loaded = useData<{ drawn: Drawn[] }>(`disorders/${id}`)
  useFresh(loaded, () => true)
  return (
    <Loading of={loaded}>
      {({ drawn }) => (
        <Table
          caption="The last faults that it drew, oldest first"
          columns={['Time', 'What', 'What goes wrong', 'Count']}
          head={1}
          items={drawn}
          empty={<p class="soft">None was drawn yet.</p>}
          cells={({ at, event_uuid, what, kind, status, delay, count }) => [
            <Time at={at} short />,
            event_uuid === undefined ? what : <Link to={['events', event_uuid]}>{what}</Link>,
            [kind, status, delay].filter(Boolean).join(' '),
            count,
          ]}
        />
      )}
    </Loading>
  )
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
  const loaded = useData<Disorder[]>('disorders')
  useFresh(loaded, () => true)
  const { reload } = loaded
  return (
    <div>
      <h2>Disorder</h2>
      <p class="soft">Faults that a seed draws, for a share of all calls and attempts.</p>
      <Loading of={loaded}>
        {(disorders) => (
          <ul class="plain">
            {disorders.map((disorder) => (
              <DisorderItem key={disorder.id} disorder={disorder} ended={reload} />
            ))}
          </ul>
        )}
      </Loading>
      <DisorderForm begun={reload} />
    </div>
  )
}
