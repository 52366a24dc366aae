import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { act, get, mayOperate } from './api.ts'
import type { OperatorAnswers } from './declared.ts'
import { TimeField } from './parts/time-field.tsx'
import { useChange } from './parts/use-change.ts'
import { aheadMs, nowMs } from './time.tsx'
import { counted } from './words.ts'

type Created = OperatorAnswers['POST /operator/replays']
type Job = OperatorAnswers['GET /operator/replays/:job_id']['data']

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const POLL_MS = 500

/** yyyymmddhhmm, in UTC. */
const minuteOf = (iso: string) => iso.replace(/\D/g, '').slice(0, 12)

/** Follows a job until it has ended. */
function useJob() {
  const id = useSignal<string | undefined>(undefined)
  const job = useSignal<Job | undefined>(undefined)
  const failure = useSignal('')
  useEffect(() => {
    if (id.value === undefined) return
    let isOver = false
    let timer = 0
    const read = async () => {
      try {
        job.value = (await get<{ data: Job }>(`replays/${id.value}`)).body.data
        failure.value = ''
      } catch (error) {
        failure.value = (error as Error).message
      }
      if (!isOver && job.value?.state !== undefined && job.value.state !== 'running') return
      if (!isOver) timer = setTimeout(read, POLL_MS)
    }
    void read()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [id.value])
  return { id, job, failure }
}

const WORDS: Record<Job['state'], string> = {
  running: 'It runs',
  complete: 'It is complete',
  incomplete: 'It has ended, and not every event arrived',
  cancelled: 'It is cancelled',
}

const progressOf = ({ state, delivered, failed }: Job, total: number) =>
  `${WORDS[state]}: ${delivered} of ${total} delivered, ${failed} failed.`

interface Range {
  from: string | undefined
  to: string | undefined
}

function lastHour(): Range {
  const nextMinute = Math.floor(nowMs.peek() / MINUTE_MS) * MINUTE_MS + MINUTE_MS
  return { from: new Date(nextMinute - HOUR_MS).toISOString(), to: new Date(nextMinute).toISOString() }
}

/** Replays the events of a webhook within a range: first how many, then the job, which can be cancelled. */
export function ReplaySection({ webhookId }: { webhookId: string }) {
  const range = useSignal(lastHour())
  const isChosen = useRef(false)
  const count = useSignal<number | undefined>(undefined)
  /** How many events the job was to send when it was started. */
  const total = useSignal(0)
  const said = useSignal('')
  const { id, job, failure } = useJob()
  const replay = async (isDryRun: boolean) => {
    const { from, to } = range.value
    const dates = { from_date: minuteOf(from ?? ''), to_date: minuteOf(to ?? '') }
    const json = { webhook_id: webhookId, ...dates, ...(isDryRun && { dry_run: true }) }
    return (await act<Created>('POST', 'replays', json)).body.data
  }
  const saying = (work: () => Promise<void>) => async () => {
    said.value = ''
    await work().catch((error: Error) => {
      said.value = error.message
    })
  }
  const preview = saying(async () => {
    count.value = (await replay(true)).would_replay
  })
  const start = saying(async () => {
    const wanted = count.value!
    id.value = (await replay(false)).job_id
    job.value = undefined
    total.value = wanted
  })
  const cancel = saying(async () => {
    job.value = (await act<{ data: Job }>('DELETE', `replays/${id.value}`)).body.data
  })
  const change = (changed: Partial<Range>) => {
    range.value = { ...range.value, ...changed }
    count.value = undefined
  }
  const choose = (changed: Partial<Range>) => {
    isChosen.current = true
    change(changed)
  }
  // The page may be there before the server has said its time.
  useChange(aheadMs, () => isChosen.current || change(lastHour()))
  const isRunning = id.value !== undefined && (job.value === undefined || job.value.state === 'running')
  return (
    <section aria-label="Replay">
      <h3>Replay a range of the last 24 hours</h3>
      <div class="tools">
        <TimeField label="From" name="from" minutes required value={range.value.from} choose={(from) => choose({ from })} />
        <TimeField label="Before" name="to" minutes required value={range.value.to} choose={(to) => choose({ to })} />
        <button type="button" onClick={preview} disabled={isRunning}>
          Count
        </button>
        {count.value !== undefined && !isRunning && (
          <button type="button" onClick={start} disabled={count.value === 0}>
            Replay {count.value}
          </button>
        )}
        {isRunning && mayOperate() && (
          <button type="button" onClick={cancel}>
            Cancel the replay
          </button>
        )}
      </div>
      {isRunning && (
        <progress max={Math.max(total.value, 1)} value={(job.value?.delivered ?? 0) + (job.value?.failed ?? 0)} aria-label="Replayed" />
      )}
      <p role="status">
        {said.value || failure.value} {job.value && progressOf(job.value, total.value)}{' '}
        {count.value !== undefined &&
          !isRunning &&
          `${counted(count.value, 'event', 'events')} would be sent to this webhook again, each in one delivery.`}
      </p>
    </section>
  )
}
