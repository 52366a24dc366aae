import type { ComponentChildren } from 'preact'
import { act, mayOperate } from './api.ts'
import { appName, webhookName } from './names.ts'
import { Act } from './parts/act.tsx'
import { Empty } from './parts/empty.tsx'
import { Loading, useData } from './parts/loaded.tsx'
import { useRegularly } from './parts/regularly.ts'
import { State, wordsOf } from './parts/state.tsx'
import { Table } from './parts/table.tsx'
import type { Replay, ResendJob } from './server-types.ts'
import { Time } from './time.tsx'
import { counted, writeCount } from './words.ts'

const READ_EVERY_MS = 3000
const PAGE = 100

type Job = Pick<Replay & ResendJob, 'job_id' | 'from' | 'to' | 'created_at' | 'finished_at'> & { state: Replay['state'] }

interface JobsProps<One> {
  /** Of the list, and of each job below it. */
  path: string
  caption: string
  columns: readonly string[]
  cells(job: One): ComponentChildren[]
  /** Said while there is none. */
  empty: ComponentChildren
}

/** Jobs of a kind, newest first; one that runs can be cancelled. */
function Jobs<One extends Job>({ path, columns, cells, ...table }: JobsProps<One>) {
  const loaded = useData<One[]>(`${path}?max_results=${PAGE}`)
  useRegularly(loaded.reload, READ_EVERY_MS)
  const cancel = async (id: string) => {
    await act('DELETE', `${path}/${id}`)
    loaded.reload()
    return ''
  }
  return (
    <Loading of={loaded}>
      {(jobs) => (
        <Table
          {...table}
          columns={['Job', 'State', ...columns, 'Events accepted', 'Created', 'Ended', 'Act']}
          items={jobs}
          keyOf={({ job_id }) => job_id}
          cells={(job) => [
            <code>{job.job_id}</code>,
            <State of={job.state} />,
            ...cells(job),
            <>
              <Time at={job.from} to="second" short /> to <Time at={job.to} to="second" short />
            </>,
            <Time at={job.created_at} to="second" short />,
            job.finished_at !== null && <Time at={job.finished_at} to="second" short />,
            job.state === 'running' && mayOperate() && (
              <Act label="Cancel" name={`Cancel the job ${job.job_id}`} run={() => cancel(job.job_id)} />
            ),
          ]}
        />
      )}
    </Loading>
  )
}

/** How much of its time a job has tried, in hundredths. One that is complete has tried all. */
function progressOf({ state, from, to, tried_to }: Replay): number {
  if (state === 'complete') return 100
  if (tried_to === null) return 0
  const [beganMs, endMs, atMs] = [from, to, tried_to].map(Date.parse)
  return Math.max(0, Math.min(100, Math.floor((100 * (atMs! - beganMs!)) / (endMs! - beganMs!))))
}

function Progress({ replay }: { replay: Replay }) {
  const percent = progressOf(replay)
  return (
    <>
      <progress value={percent} max={100} aria-label={`Progress of replay ${replay.job_id}`} /> {percent} %
    </>
  )
}

export const ReplaysPage = () => (
  <Jobs<Replay>
    path="replays"
    caption={`The newest ${PAGE} replays of all apps, newest first`}
    columns={['Progress', 'Delivered', 'Failed', 'Webhook', 'By']}
    empty={
      <Empty command="npx postern replay <webhook id>">
        No events have been replayed. This delivers those of a time again, as does the page of a webhook:
      </Empty>
    }
    cells={(replay) => [
      <Progress replay={replay} />,
      writeCount(replay.delivered),
      writeCount(replay.failed),
      <>
        {webhookName(replay.webhook_id)} <span class="soft">of {appName(replay.app_id)}</span>
      </>,
      replay.created_by,
    ]}
  />
)

/** `given up or not sent, of dm.received, to Demo app`. */
const wantedOf = ({ states, event_type, app_id }: ResendJob) =>
  [states.map(wordsOf).join(' or '), event_type && `of ${event_type}`, app_id === null ? 'to every app' : `to ${appName(app_id)}`]
    .filter(Boolean)
    .join(', ')

export const ResendsPage = () => (
  <Jobs<ResendJob>
    path="resends"
    caption={`The newest ${PAGE} resend jobs, newest first. One that runs makes deliveries due again, a thousand at a time`}
    columns={['Sent again', 'Refused', 'Deliveries that were']}
    empty={
      <Empty command="npx postern resend --from 2026-03-01T12:00Z">
        Nothing was resent by a job. This sends everything again that has failed since then, as does Resend all that match in the feed:
      </Empty>
    }
    cells={(job) => [
      counted(job.resent, 'delivery', 'deliveries'),
      job.refused > 0 ? `${writeCount(job.refused)}, whose webhook is invalid or app suspended` : '0',
      wantedOf(job),
    ]}
  />
)
