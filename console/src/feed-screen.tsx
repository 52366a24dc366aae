import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type ApiError, mayOperate } from './api.ts'
import { CallBodies } from './call-bodies.tsx'
import { connection, hello, listen } from './feed.ts'
import { Chips, Filters, KINDS } from './feed-filters.tsx'
import { JsonView } from './json-view.tsx'
import { appName, isDevelopment, userName, webhookName, webhooks } from './names.ts'
import { Act } from './parts/act.tsx'
import { Empty } from './parts/empty.tsx'
import { Failure, Loading, refusalOf, useLoaded } from './parts/loaded.tsx'
import { Page } from './parts/page.tsx'
import { State } from './parts/state.tsx'
import { ColumnHeads } from './parts/table.tsx'
import { useChange } from './parts/use-change.ts'
import { ResendMatching, ResendSelected } from './resend.tsx'
import { filtersHere, Link } from './router.tsx'
import { type Filter, filterNames, matcherOf } from './row-filter.ts'
import { hasOlder, held, isPaused, outdate, type Row, readOlder, readRows, showHeld, shown, takeUpdates } from './rows.ts'
import { canSelect, isSelected, select } from './selection.ts'
import { Time } from './time.tsx'
import { useEvent } from './use-event.ts'

const EventDetail = ({ uuid }: { uuid: string }) => (
  <Loading of={useEvent(uuid)}>{({ payload }) => <JsonView value={payload} label="Payload" />}</Loading>
)

function RowDetail({ row }: { row: Row }) {
  if (row.kind === 'call') return <CallBodies sequence={Number(row.to[1])} />
  if (row.kind !== 'challenge') return <EventDetail uuid={String(row.to[1])} />
  const last = webhooks.value.find(({ id }) => id === row.webhookId)?.last_challenge
  if (!last) return <p class="soft">Nothing more is kept of this challenge.</p>
  return <p>The last challenge of this webhook: {last.failure ?? 'it passed.'}</p>
}

const COLUMNS = ['Time', 'What', 'Outcome', 'About', 'Detail', 'More']

/** The webhook or the app, and the user: `127.0.0.1:3000/hooks, Ada (101)`. */
const aboutOf = ({ webhookId, appId, userId }: Row) =>
  [webhookId === null ? appName(appId) : webhookName(webhookId), userId === null ? '' : userName(userId)].filter(Boolean).join(', ')

function FeedRow({ row }: { row: Row }) {
  const isOpen = useSignal(false)
  const id = `more-${row.key.replaceAll(' ', '-')}`
  const about = aboutOf(row)
  return (
    <>
      <tr>
        {mayOperate() && (
          <td>
            {canSelect(row) && (
              <input
                type="checkbox"
                aria-label={`Select: ${KINDS[row.kind]} ${row.what} to ${about}`}
                checked={isSelected(row.key)}
                onChange={(event) => select(row, event.currentTarget.checked)}
              />
            )}
          </td>
        )}
        <td data-label="Time" class="time">
          <Time at={row.at} short />
        </td>
        <th scope="row">
          <span class="kind">{KINDS[row.kind]}</span> <Link to={row.to}>{row.what}</Link>
        </th>
        <td data-label="Outcome">
          <State of={row.state} />
          {row.status !== null && ` ${row.status}`}
        </td>
        <td data-label="About">{about}</td>
        <td data-label="Detail">{row.detail}</td>
        <td>
          <button
            type="button"
            class="small"
            aria-expanded={isOpen.value}
            aria-controls={isOpen.value ? id : undefined}
            aria-label={`${isOpen.value ? 'Close' : 'Open'}: ${KINDS[row.kind]} ${row.what}`}
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            {isOpen.value ? 'Close' : 'Open'}
          </button>
        </td>
      </tr>
      {isOpen.value && (
        <tr id={id} class="more">
          <td colSpan={COLUMNS.length + 1}>
            <RowDetail row={row} />
          </td>
        </tr>
      )}
    </>
  )
}

/** What a newcomer needs, in a module that is loaded when nothing has happened yet. */
function Beginning() {
  const { value: Steps } = useLoaded('first steps', async () => (await import('./develop-screen.tsx')).FirstSteps)
  return (
    <>
      <Empty>Nothing has happened yet. What does is shown here.</Empty>
      {Steps && <Steps />}
    </>
  )
}

function EmptyFeed({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return <Empty>Nothing that was read matches these filters. Remove one, read older deliveries, or wait: what comes is shown here.</Empty>
  if (isDevelopment.value) return <Beginning />
  if (webhooks.value.length === 0)
    return <Empty command="npx postern listen">Nothing has happened yet. Receive events in a terminal, and they are shown here:</Empty>
  return (
    <Empty>
      Nothing has happened yet. Publish an event with <code>POST /operator/events</code>.
    </Empty>
  )
}

function Which() {
  const facts = hello.value
  if (!facts || facts.processes < 2) return null
  return (
    <p class="soft">
      {facts.covers_all
        ? `Live from all ${facts.processes} processes.`
        : `Live from process ${facts.worker} of ${facts.processes}: it has lost its database session. What the others do is shown when it is back.`}
    </p>
  )
}

const READ_AGAIN_MS = 2000
const SAID_EVERY_MS = 5000

/** Follows the feed, unless it is paused. `isRead` tells whether somebody reads the list where new rows would move it. */
function useFeed(isRead: () => boolean) {
  const error = useSignal<ApiError | undefined>(undefined)
  const said = useSignal('')
  const lastSaidMs = useRef(0)
  const readUnless = (holdsBack: () => boolean) =>
    readRows(holdsBack).then(
      () => {
        error.value = undefined
      },
      (refused) => {
        error.value = refusalOf(refused)
      },
    )
  const read = () => readUnless(isRead)
  const again = useRef<number | undefined>(undefined)
  /** A busy server skips updates ten times a second: what they were about is read once for all of them. */
  const readSoon = () => {
    again.current ??= setTimeout(() => {
      again.current = undefined
      if (!isPaused.value) void read()
    }, READ_AGAIN_MS)
  }
  useEffect(() => () => clearTimeout(again.current), [])
  useEffect(() => {
    if (!isPaused.value) void read()
    return listen({
      updates(updates, skipped) {
        if (isPaused.value) return
        const count = takeUpdates(updates, isRead())
        if (skipped > 0) readSoon()
        if (count === 0 || Date.now() - lastSaidMs.current < SAID_EVERY_MS) return
        lastSaidMs.current = Date.now()
        said.value = `${count} new`
      },
      // What is shown may be gone.
      resync() {
        outdate()
        if (!isPaused.value) void readUnless(() => false)
      },
    })
  }, [])
  // Whether calls are kept is known once the server has said its profile.
  useChange(isDevelopment, () => void read())
  useChange(isPaused, (paused) => !paused && void read())
  return { error: error.value, said, read }
}

export function FeedScreen() {
  const table = useRef<HTMLTableElement>(null)
  const isRead = () => scrollY > 8 || (table.current?.matches(':hover, :focus-within') ?? false)
  const { error, said, read } = useFeed(isRead)
  const filter: Filter = filtersHere(filterNames)
  const matches = matcherOf(filter)
  const rows = shown.value.filter(matches)
  const waiting = held.value.filter(matches).length
  const isLive = useComputed(() => connection.value === 'live' && !isPaused.value)
  return (
    <Page title="Feed">
      <div class="tools">
        <button type="button" aria-pressed={isPaused.value} onClick={() => (isPaused.value = !isPaused.value)}>
          {isPaused.value ? 'Resume' : 'Pause'}
        </button>
        <span class="soft">{isPaused.value ? 'Paused: nothing changes until you resume.' : isLive.value ? 'Live' : 'Not live'}</span>
        <span role="status" class="hidden">
          {said.value}
        </span>
        <Link to={['search']}>Search in payloads</Link>
        <Link to={['deliveries']}>All deliveries</Link>
      </div>
      <Which />
      <Filters filter={filter} />
      <Chips filter={filter} />
      {mayOperate() && (
        <div class="tools">
          <ResendSelected />
          <ResendMatching filter={filter} />
        </div>
      )}
      {error && <Failure error={error} retry={read} />}
      <div class="bar" role="status">
        {waiting > 0 && (
          <button type="button" onClick={showHeld}>
            {waiting} new: show
          </button>
        )}
      </div>
      {rows.length === 0 ? (
        <EmptyFeed isFiltered={Object.keys(filter).length > 0} />
      ) : (
        <table ref={table} class="feed">
          <caption>What has happened, newest first</caption>
          <ColumnHeads names={mayOperate() ? ['Select', ...COLUMNS] : COLUMNS} />
          <tbody>
            {rows.map((row) => (
              <FeedRow key={row.key} row={row} />
            ))}
          </tbody>
        </table>
      )}
      {hasOlder.value && (
        <Act
          label="Older deliveries"
          run={async () => {
            await readOlder()
            return ''
          }}
        />
      )}
    </Page>
  )
}
