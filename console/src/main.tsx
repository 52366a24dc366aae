import { useSignal } from '@preact/signals'
import { type ComponentChild, render } from 'preact'
import { useEffect } from 'preact/hooks'
import { ApiError, findSession, operator, signOut } from './api.ts'
import { connection, follow, listen } from './feed.ts'
import { FeedScreen } from './feed-screen.tsx'
import { AppsScreen, WebhooksScreen } from './list-screens.tsx'
import { readNames, server } from './names.ts'
import { Link, place } from './router.tsx'
import { SignInScreen } from './sign-in.tsx'
import { theme, zone } from './time.tsx'
import { Failure, Page } from './ui.tsx'
import { CallScreen, EventScreen } from './way-screens.tsx'

const NAVIGATION = [
  [[], 'Feed'],
  [['webhooks'], 'Webhooks'],
  [['apps'], 'Apps'],
] as const

const isHere = (steps: readonly string[]) => (steps[0] ?? '') === (place.value.steps[0] ?? '')

function Header() {
  return (
    <header>
      <p class="brand">Postern</p>
      {operator.value && (
        <nav aria-label="Console">
          <ul>
            {NAVIGATION.map(([steps, name]) => (
              <li key={name}>
                <Link to={[...steps]} aria-current={isHere(steps) ? 'page' : undefined}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <div class="choices">
        <label>
          Time{' '}
          <select value={zone.chosen.value} onChange={(event) => zone.choose(event.currentTarget.value as 'UTC' | 'local')}>
            <option value="UTC">UTC</option>
            <option value="local">local</option>
          </select>
        </label>
        <label>
          Colours{' '}
          <select value={theme.chosen.value} onChange={(event) => theme.choose(event.currentTarget.value as 'system' | 'light' | 'dark')}>
            <option value="system">system</option>
            <option value="light">light</option>
            <option value="dark">dark</option>
          </select>
        </label>
        {operator.value && server.value?.profile === 'production' && (
          <button type="button" onClick={() => void signOut()}>
            Sign out
          </button>
        )}
      </div>
    </header>
  )
}

/** Says that the server is gone. The feed tries again by itself. */
const Lost = () => (
  <div role="status" class="lost">
    {operator.value &&
      connection.value === 'lost' &&
      'The server does not answer. The console tries again until it does, and then goes on.'}
  </div>
)

const NotFound = () => (
  <Page title="No such page">
    <p>
      The console has no page at this address. Begin at <Link to={[]}>the feed</Link>.
    </p>
  </Page>
)

/** The screens, by the first step of the path. */
const screens: Record<string, (...steps: string[]) => ComponentChild> = {
  '': () => <FeedScreen />,
  calls: (sequence) => (/^\d+$/.test(sequence ?? '') ? <CallScreen sequence={Number(sequence)} /> : <NotFound />),
  events: (uuid, webhookId) => (uuid === undefined ? <NotFound /> : <EventScreen uuid={uuid} webhookId={webhookId} />),
  webhooks: () => <WebhooksScreen />,
  apps: () => <AppsScreen />,
}

function Screen() {
  const [first = '', ...rest] = place.value.steps
  const screen = Object.hasOwn(screens, first) ? screens[first]! : () => <NotFound />
  return <div key={place.value.steps.join('/')}>{screen(...rest)}</div>
}

/** So long after a challenge its webhook is read again. */
const NAMES_AFTER_MS = 500

function useNames() {
  useEffect(() => {
    let timer = 0
    const read = () => void readNames().catch(() => {})
    const soon = () => {
      clearTimeout(timer)
      timer = setTimeout(read, NAMES_AFTER_MS)
    }
    read()
    return listen({ updates: (updates) => updates.some(({ kind }) => kind === 'challenge') && soon(), resync: soon })
  }, [])
}

function SignedIn() {
  useNames()
  useEffect(follow, [])
  return <Screen />
}

const TRY_AGAIN_MS = 3000

function Console() {
  const error = useSignal<ApiError | undefined>(undefined)
  const look = () =>
    findSession().then(
      () => {
        error.value = undefined
      },
      (refused) => {
        error.value = refused instanceof ApiError ? refused : new ApiError(0, String(refused))
        setTimeout(look, TRY_AGAIN_MS)
      },
    )
  useEffect(() => void look(), [])
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <Header />
      <Lost />
      <main id="main">
        {error.value && <Failure error={error.value} />}
        {operator.value && <SignedIn />}
        {operator.value === null && <SignInScreen />}
      </main>
      <footer>
        <p>{server.value && `Postern ${server.value.version}, ${server.value.profile}`}</p>
      </footer>
    </>
  )
}

render(<Console />, document.getElementById('console')!)
