import { type Side, sideOf } from './compare-sides.ts'
import { objectOf, writeJson } from './exact-json.ts'
import { type DiffLine, diffLines } from './line-diff.ts'
import { Empty } from './parts/empty.tsx'
import { Failure, Reading } from './parts/loaded.tsx'
import { NotFound, Page, type ScreenComponent } from './parts/page.tsx'
import { Link } from './router.tsx'
import type { Attempt } from './server-types.ts'
import { type ReadEvent, useEvent } from './use-event.ts'

const eventText = ({ event, payload, includes }: ReadEvent) =>
  writeJson(
    objectOf({
      event_type: event.event_type,
      event_uuid: event.event_uuid,
      user_id: event.user_id,
      accepted_at: event.accepted_at,
      payload,
      includes,
    }),
  )

const attemptText = ({ at, n, outcome, status, latency_ms: latency, error, hint, replay_job_id: job, response }: Attempt) =>
  [
    `attempt: ${n}`,
    `replay: ${job ?? 'none'}`,
    `at: ${at}`,
    `outcome: ${outcome}`,
    `status: ${status ?? 'no answer'}`,
    `latency: ${latency} ms`,
    ...(error === '' ? [] : [`error: ${error}`]),
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
    ...(response === '' ? ['answer: empty'] : ['answer:', response]),
  ].join('\n')

/** The text of a side; undefined where there is no such attempt. */
function textOf(read: ReadEvent, { attempt }: Side): string | undefined {
  if (!attempt) return eventText(read)
  const found = read.event.deliveries.find(({ webhook_id }) => webhook_id === attempt.webhookId)?.attempts[attempt.place]
  return found && attemptText(found)
}

const nameOf = ({ uuid, attempt }: Side) => (attempt ? `attempt ${attempt.place + 1} of event ${uuid}` : `event ${uuid}`)

const MARKS: Record<DiffLine['mark'], string> = { ' ': '  ', '-': '− ', '+': '+ ' }

function Line({ line: { mark, text } }: { line: DiffLine }) {
  const content = `${MARKS[mark]}${text}\n`
  if (mark === ' ') return <span>{content}</span>
  return mark === '-' ? <del>{content}</del> : <ins>{content}</ins>
}

function Diff({ first, second }: { first: string; second: string }) {
  const lines = diffLines(first, second)
  const count = (mark: DiffLine['mark']) => lines.filter((line) => line.mark === mark).length
  const [removed, added] = [count('-'), count('+')]
  return (
    <>
      <p role="status">
        {removed + added === 0
          ? 'Both are the same.'
          : `Lines of the first alone (−): ${removed}. Lines of the second alone (+): ${added}.`}
      </p>
      <pre class="diff" tabIndex={0} role="group" aria-label="The comparison, line by line">
        {lines.map((line, place) => (
          <Line key={place} line={line} />
        ))}
      </pre>
    </>
  )
}

const SideLink = ({ side }: { side: Side }) => (
  <Link to={side.attempt ? ['events', side.uuid, side.attempt.webhookId] : ['events', side.uuid]}>{nameOf(side)}</Link>
)

function ComparePage({ one, other }: { one: Side; other: Side }) {
  const [first, second] = [useEvent(one.uuid), useEvent(other.uuid)]
  const error = first.error ?? second.error
  const texts = [first.value && textOf(first.value, one), second.value && textOf(second.value, other)]
  const isRead = first.value !== undefined && second.value !== undefined
  return (
    <Page
      above={{ to: [], name: 'Feed' }}
      title={one.attempt ? 'Compare attempts' : 'Compare events'}
      intro={
        <>
          First: <SideLink side={one} />. Second: <SideLink side={other} />.
        </>
      }
    >
      {error && <Failure error={error} />}
      {!isRead && !error && <Reading />}
      {isRead && texts.includes(undefined) && <Empty>There is no such attempt.</Empty>}
      {texts[0] !== undefined && texts[1] !== undefined && <Diff first={texts[0]} second={texts[1]} />}
    </Page>
  )
}

export const CompareScreen: ScreenComponent = ({ steps: [one, other] }) => {
  const [first, second] = [sideOf(one), sideOf(other)]
  return first && second ? <ComparePage one={first} other={second} /> : <NotFound />
}
