import { get } from './api.ts'
import { ColumnHeads } from './list-screens.tsx'
import { appName, webhookName } from './names.ts'
import { useRegularly } from './regularly.ts'
import type { Replay } from './server-types.ts'
import { Time } from './time.tsx'
import { Command, Failure, State, useLoaded } from './ui.tsx'

const READ_EVERY_MS = 3000
const PAGE = 100

/** How much of its time a job has tried, in hundredths. One that is complete has tried all. */
function progressOf({ state, from, to, tried_to }: Replay): number {
  if (state === 'complete') return 100
  if (tried_to === null) return 0
  const [beganMs, endMs, atMs] = [from, to, tried_to].map(Date.parse)
  return Math.max(0, Math.min(100, Math.floor((100 * (atMs! - beganMs!)) / (endMs! - beganMs!))))
}

function ReplayRow({ replay }: { replay: Replay }) {
  const { job_id, webhook_id, app_id, created_by, from, to, state, delivered, failed, created_at, finished_at } = replay
  const percent = progressOf(replay)
  return (
    <tr>
      <th scope="row">
        <code>{job_id}</code>
      </th>
      <td data-label="State">
        <State of={state} />
      </td>
      <td data-label="Progress">
        <progress value={percent} max={100} aria-label={`Progress of replay ${job_id}`} /> {percent} %
      </td>
      <td data-label="Delivered">{delivered}</td>
      <td data-label="Failed">{failed}</td>
      <td data-label="Webhook">
        {webhookName(webhook_id)} <span class="soft">of {appName(app_id)}</span>
      </td>
      <td data-label="Events from">
        <Time at={from} /> to <Time at={to} />
      </td>
      <td data-label="Created">
        <Time at={created_at} /> by the {created_by}
      </td>
      <td data-label="Ended">{finished_at !== null && <Time at={finished_at} />}</td>
    </tr>
  )
}

const COLUMNS = ['Job', 'State', 'Progress', 'Delivered', 'Failed', 'Webhook', 'Events from', 'Created', 'Ended']

export function ReplaysPage() {
  const loaded = useLoaded('replays', async () => (await get<{ data: Replay[] }>(`replays?max_results=${PAGE}`)).body.data)
  useRegularly(loaded.reload, READ_EVERY_MS)
  const { value: replays, error, reload } = loaded
  return (
    <>
      {error && <Failure error={error} retry={reload} />}
      {!replays && !error && <p class="soft">Reading…</p>}
      {replays?.length === 0 && (
        <Command says="No events have been replayed. This delivers those of a time again:" command="npx postern replay <webhook id>" />
      )}
      {replays && replays.length > 0 && (
        <table>
          <caption>The newest {PAGE} replays of all apps, newest first</caption>
          <ColumnHeads names={COLUMNS} />
          <tbody>
            {replays.map((replay) => (
              <ReplayRow key={replay.job_id} replay={replay} />
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}
