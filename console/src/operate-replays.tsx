import { get } from './api.ts'
import { appName, webhookName } from './names.ts'
import { Empty } from './parts/empty.tsx'
import { Loading, useLoaded } from './parts/loaded.tsx'
import { useRegularly } from './parts/regularly.ts'
import { State } from './parts/state.tsx'
import { Table } from './parts/table.tsx'
import type { Replay } from './server-types.ts'
import { Time } from './time.tsx'

const READ_EVERY_MS = 3000
const PAGE = 100

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

export function ReplaysPage() {
  const loaded = useLoaded('replays', async () => (await get<{ data: Replay[] }>(`replays?max_results=${PAGE}`)).body.data)
  useRegularly(loaded.reload, READ_EVERY_MS)
  return (
    <Loading of={loaded}>
      {(replays) => (
        <Table
          caption={`The newest ${PAGE} replays of all apps, newest first`}
          columns={['Job', 'State', 'Progress', 'Delivered', 'Failed', 'Webhook', 'Events from', 'Created', 'Ended']}
          items={replays}
          keyOf={({ job_id }) => job_id}
          empty={
            <Empty command="npx postern replay <webhook id>">
              No events have been replayed. This delivers those of a time again, as does the page of a webhook:
            </Empty>
          }
          cells={(replay) => [
            <code>{replay.job_id}</code>,
            <State of={replay.state} />,
            <Progress replay={replay} />,
            replay.delivered,
            replay.failed,
            <>
              {webhookName(replay.webhook_id)} <span class="soft">of {appName(replay.app_id)}</span>
            </>,
            <>
              <Time at={replay.from} /> to <Time at={replay.to} />
            </>,
            <>
              <Time at={replay.created_at} /> by the {replay.created_by}
            </>,
            replay.finished_at !== null && <Time at={replay.finished_at} />,
          ]}
        />
      )}
    </Loading>
  )
}
