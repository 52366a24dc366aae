import { useSignal } from '@preact/signals'
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { ApiError, findSession, operator, signOut } from './api.ts'
import { MovedClock } from './clock-state.tsx'
import { connection, follow, listen } from './feed.ts'
import { isDevelopment, readNames, server } from './names.ts'
import { Link, place } from './router.tsx'
import { ScreenHere, screens } from './screens.tsx'
import { SignInScreen } from './sign-in.tsx'
import { theme, zone } from './time.tsx'
import { Failure } from './ui.tsx'

const firstStep = () => place.value.steps[0] ?? ''

function Header() {
  return (
    <header>
      <p class="brand">Postern</p>
      {operator.value && (
        <nav aria-label="Console">
          <ul>
            {screens.map(
              ({ step, inNavigation, isOfDevelopment }) =>
                inNavigation &&
                (!isOfDevelopment || isDevelopment.value) && (
                  <li key={step}>
                    <Link to={step === '' ? [] : [step]} aria-current={step === firstStep() ? 'page' : undefined}>
                      {inNavigation}
                    </Link>
                  </li>
                ),
            )}
          </ul>
        </nav>
      )}
      {operator.value && <MovedClock />}
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
  return <ScreenHere />
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
