import { useSignal } from '@preact/signals'
import { act, mayOperate } from './api.ts'
import { DisordersSection } from './develop-disorders.tsx'
import { appName, webhookName } from './names.ts'
import { Act } from './parts/act.tsx'
import { Empty } from './parts/empty.tsx'
import { ActForm, AppChoice, Choice, Field, filled } from './parts/form.tsx'
import { Loading, useData } from './parts/loaded.tsx'
import { Page } from './parts/page.tsx'
import { Table } from './parts/table.tsx'
import type { Fault } from './server-types.ts'
import { useFresh } from './use-event.ts'

/** What goes wrong, for whom it can. */
const EFFECTS = [
  ['status', 'answers an error status', 'call delivery challenge'],
  ['delay', 'is late', 'call delivery challenge'],
  ['cut', 'is done, and its answer is lost', 'call delivery challenge'],
  ['garbage', 'has bytes that are not JSON', 'call delivery challenge'],
  ['duplicate', 'is sent twice', 'delivery'],
  ['reorder', 'comes after the next one', 'delivery'],
  ['drop', 'is taken for acknowledged, and is not sent', 'delivery'],
  ['wrong_signature', 'has a wrong signature', 'delivery challenge'],
] as const

type Target = 'call' | 'delivery' | 'challenge'

const effectOf = (fault: Fault): string => {
  if (fault.status !== undefined) return `answers ${fault.status}`
  if (fault.delay !== undefined) return `is ${fault.delay} late`
  return EFFECTS.find(([kind]) => fault[kind] !== undefined)?.[1] ?? ''
}

const aimOf = ({ call, delivery, app_id, webhook_id }: Fault) =>
  [
    call === '*' ? 'every call' : delivery === '*' ? 'every delivery' : (call ?? delivery),
    app_id !== undefined && `of ${appName(app_id)}`,
    webhook_id !== undefined && `to ${webhookName(webhook_id)}`,
  ]
    .filter(Boolean)
    .join(' ')

function sentFault(form: FormData): Record<string, unknown> {
  const { target, call = '*', delivery = '*', effect = 'status', status = '500', delay, times = '1', app_id } = filled(form)
  return {
    ...(target === 'call' ? { call } : { delivery: target === 'challenge' ? 'challenge' : delivery }),
    ...(app_id !== undefined && { app_id }),
    [effect]: effect === 'status' ? Number(status) : effect === 'delay' ? (delay ?? '') : true,
    times: Number(times),
  }
}

function FaultForm({ added }: { added: () => void }) {
  const target = useSignal<string>('call')
  const effect = useSignal<string>('status')
  const effects = EFFECTS.filter(([, , targets]) => targets.split(' ').includes(target.value))
  if (!effects.some(([kind]) => kind === effect.value)) effect.value = 'status'
  const run = async (form: FormData) => {
    const { body } = await act<{ data: Fault }>('POST', 'faults', sentFault(form))
    added()
    return `Fault ${body.data.id} waits for its next ${target.value as Target}.`
  }
  return (
    <ActForm label="Add a fault" submit="Add fault" run={run}>
      <Choice
        label="What it hits"
        name="target"
        value={target.value}
        choose={(value) => (target.value = value)}
        options={[
          ['call', 'calls of clients'],
          ['delivery', 'deliveries'],
          ['challenge', 'challenges'],
        ]}
      />
      {target.value === 'call' && (
        <Field
          label="Call"
          name="call"
          placeholder="POST /2/webhooks"
          hint="A verb and a path of the reference, such as GET /2/users/:id. Empty: every call."
        />
      )}
      {target.value === 'delivery' && <Field label="Event type" name="delivery" placeholder="dm.received" hint="Empty: every event." />}
      <Choice
        label="What goes wrong"
        name="effect"
        value={effect.value}
        choose={(value) => (effect.value = value)}
        options={effects.map(([kind, says]) => [kind, `it ${says}`])}
      />
      {effect.value === 'status' && <Field label="Status" name="status" type="number" min="200" max="599" defaultValue="500" required />}
      {effect.value === 'delay' && <Field label="Delay" name="delay" defaultValue="2s" required hint="At most 5m." />}
      <Field label="Times" name="times" type="number" min="1" max="1000" defaultValue="1" required />
      <AppChoice any="every app" />
    </ActForm>
  )
}

const remove = (fault: Fault, removed: () => void) => async () => {
  await act('DELETE', `faults/${fault.id}`)
  removed()
  return ''
}

export function FaultsScreen() {
  const loaded = useData<Fault[]>('faults')
  useFresh(loaded, () => true)
  const { value: faults = [], reload } = loaded
  const removeAll = async () => {
    const { body } = await act<{ data: { deleted: number } }>('DELETE', 'faults')
    reload()
    return `${body.data.deleted} deleted.`
  }
  return (
    <Page title="Faults" intro="A fault lets the next calls, deliveries or challenges that it fits go wrong.">
      <Loading of={loaded}>
        {(all) => (
          <Table
            caption="Faults, oldest first: the first one that fits hits"
            columns={['Hits', 'What goes wrong', 'Left', 'Hit', 'Act']}
            items={all}
            keyOf={({ id }) => id}
            empty={<Empty>No fault is set: every call and delivery goes as it should. Add one below.</Empty>}
            cells={(fault) => [
              <>
                {aimOf(fault)} <span class="soft">(fault {fault.id})</span>
              </>,
              `it ${effectOf(fault)}`,
              fault.times_left === 0 ? 'spent' : `${fault.times_left} more`,
              fault.hits.map(({ what }) => what).join(', ') || 'nothing yet',
              <Act label={`Delete fault ${fault.id}`} disabled={!mayOperate()} run={remove(fault, reload)} />,
            ]}
          />
        )}
      </Loading>
      {faults.length > 0 && <Act label="Delete all faults" disabled={!mayOperate()} run={removeAll} />}
      <div class="side-by-side">
        <div>
          <h2>Add a fault</h2>
          <FaultForm added={reload} />
        </div>
        <DisordersSection />
      </div>
    </Page>
  )
}
