import { signal } from '@preact/signals'
import { leavePortal, openPortal } from './api.ts'
import { Act } from './parts/act.tsx'
import { Page } from './parts/page.tsx'
import { go, hrefOf, place } from './router.tsx'

/** The secret of the link to a portal, which is behind the # of the address, until it is used. */
export const portalLink = signal('')

/** It must be in no history, and in no address that is copied. */
function takeLink() {
  if (place.value.steps[0] !== 'portal' || location.hash.length < 2) return
  portalLink.value = location.hash.slice(1)
  history.replaceState(null, '', hrefOf('portal'))
}

takeLink()
// Another link, pasted over the address of this page, loads nothing.
addEventListener('hashchange', takeLink)

/** A link works once: programs that look at the links of a mail do not press the button. */
export function PortalLinkScreen() {
  const open = async () => {
    await openPortal(portalLink.value)
    go(hrefOf())
    portalLink.value = ''
    return ''
  }
  return (
    <Page title="Open the portal">
      <p>
        This link shows one app in this browser for eight hours: its webhooks, their deliveries, and the events that it receives. It works
        once. A browser that is signed in to the console as an operator is signed out by it.
      </p>
      <Act label="Open" run={open} />
    </Page>
  )
}

async function signInInstead() {
  leavePortal()
  location.assign(hrefOf())
  return ''
}

/** At the address of a portal, or where one was open, without a session. */
export const PortalEnded = () => (
  <Page title="The portal is closed">
    <p>A portal is open for eight hours, or until the operator ends it. Ask the operator for a new link.</p>
    <Act label="Sign in as an operator" run={signInInstead} />
  </Page>
)
