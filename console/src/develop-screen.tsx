import type { ComponentType } from 'preact'
import { mayOperate } from './api.ts'
import { ClockScreen } from './develop-clock.tsx'
import { FaultsScreen } from './develop-faults.tsx'
import { InboxesScreen } from './develop-inboxes.tsx'
import { FirstSteps, KeysScreen } from './develop-keys.tsx'
import { StateScreen } from './develop-state.tsx'
import { TriggerScreen } from './develop-trigger.tsx'
import { isDevelopment, server } from './names.ts'
import { Reading } from './parts/loaded.tsx'
import { NotFound, Parts, type ScreenComponent } from './parts/page.tsx'

export { FirstSteps }

interface Part {
  step: string
  name: string
  component: ComponentType<{ steps: readonly string[] }>
}

/** The screens of development, in the order of their navigation. The first one is shown where none is named. */
const parts: readonly Part[] = [
  { step: 'trigger', name: 'Trigger', component: TriggerScreen },
  { step: 'clock', name: 'Clock', component: ClockScreen },
  { step: 'faults', name: 'Faults', component: FaultsScreen },
  { step: 'inboxes', name: 'Inboxes', component: InboxesScreen },
  { step: 'state', name: 'Snapshots, worlds, reset', component: StateScreen },
  { step: 'keys', name: 'People and keys', component: KeysScreen },
]

export const DevelopScreen: ScreenComponent = ({ steps: [first = parts[0]!.step, ...steps] }) => {
  if (!server.value) return <Reading />
  const shown = parts.find(({ step }) => step === first)
  if (!shown || !isDevelopment.value) return <NotFound />
  return (
    <>
      <Parts label="Develop" step="develop" parts={parts} shown={first} />
      <shown.component steps={steps} />
      {!mayOperate() && <p class="soft">Your operator token has the role read: it shows everything and changes nothing.</p>}
    </>
  )
}
