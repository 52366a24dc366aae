import { useSignal } from '@preact/signals'
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { type ApiError, findSession, needsToken, operator, portal, signOut, wasInPortal } from './api.ts'
import { HeaderClock } from './clock-state.tsx'
import { connection, follow, listen } from './feed.ts'
import { Keyboard } from './keyboard.tsx'
import { isDevelopment, readNames, server } from './names.ts'
import { Act } from './parts/act.tsx'
import { Failure, refusalOf } from './parts/loaded.tsx'
import { useRegularly } from './parts/regularly.ts'
import { createSoon } from './parts/soon.ts'
import { PortalEnded, PortalLinkScreen, portalLink } from './portal-link.tsx'
import { Link, place } from './router.tsx'
import { ScreenHere, screensHere } from './screens.tsx'
import { SignInScreen } from './sign-in.tsx'
import { keys, type Preference, Time, theme, zone } from './time.tsx'

const firstStep = () => place.value.steps[0] ?? ''

/** One of the choices that the browser remembers. */
const Choice = <Value extends string>({ label, of: { values, chosen, choose } }: { label: string; of: Preference<Value> }) => (
  <label>
    {label}{' '}
    <select value={chosen.value} onChange={(event) => choose(event.currentTarget.value as Value)}>
      {values.map((value) => (
        <option key={value}>{value}</option>
      ))}
    </select>
  </label>
)

function Header() {
  return (
    <header>
      <p class="brand">Postern{operator.value && portal.value && ` for ${portal.value.app_name}`}</p>
      {operator.value && !portalLink.value && (
        <nav aria-label="Console">
          <ul>
            {screensHere().map(
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
      {operator.value && !portal.value && <HeaderClock />}
      {operator.value && (portal.value || needsToken.value) && (
        <div class="last">
          <Act label="Sign out" run={signOut} />
        </div>
      )}
    </header>
  )
}

/** Says that the server is gone. The feed tries again by itself. */
const Lost = () => (
  <div role="status" class="lost">
    {operator.value && connection.value === 'lost' && 'The server does not answer. The console tries again.'}
  </div>
)

const HELD_IS_READ_EVERY_MS = 5000

/** Says that the database is a restored copy, on every page, until it is released. */
function HeldCopy() {
  const since = operator.value && server.value?.held_since
  useRegularly(() => since && void readNames().catch(() => {}), HELD_IS_READ_EVERY_MS)
  if (!since) return null
  return (
    <p class="held">
      This is a restored copy, held since <Time at={since} to="second" />: it accepts events and sends nothing. When the original sends
      nothing any more, <code>postern restore --release</code> lets it send.
    </p>
  )
}

/** So long after a challenge its webhook is read again. */
const NAMES_AFTER_MS = 500

function useNames() {
  useEffect(() => {
    const read = () => readNames().catch(() => {})
    const { ask } = createSoon(read, NAMES_AFTER_MS)
    void read()
    return listen({ updates: (updates) => updates.some(({ kind }) => kind === 'challenge') && ask(), resync: ask })
  }, [])
}

function SignedIn() {
  useNames()
  useEffect(() => {
    if (!portal.value) follow()
  }, [])
  return <ScreenHere />
}

/** What is at the address, for whom it is. */
function Content() {
  if (portalLink.value) return <PortalLinkScreen />
  if (operator.value) return <SignedIn key={portal.value?.app_id ?? 'operator'} />
  if (operator.value === null) return wasInPortal() || firstStep() === 'portal' ? <PortalEnded /> : <SignInScreen />
  return null
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
        error.value = refusalOf(refused)
        setTimeout(look, TRY_AGAIN_MS)
      },
    )
  // A browser of this machine would be signed in as an operator before it opens the link.
  useEffect(() => {
    if (!portalLink.value) void look()
  }, [])
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <Header />
      <Keyboard />
      <main id="main">
        <Lost />
        {error.value && <Failure error={error.value} />}
        <HeldCopy />
        <Content />
      </main>
      <footer>
        <p>{server.value && `Postern ${server.value.version}, ${server.value.profile}`}</p>
        <Choice label="Time" of={zone} />
        <Choice label="Colours" of={theme} />
        <Choice label="Keys" of={keys} />
      </footer>
    </>
  )
}

render(<Console />, document.getElementById('console')!)
