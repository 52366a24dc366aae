import type { ComponentType } from 'preact'
import { AuditPage } from './operate-audit.tsx'
import { FailuresPage } from './operate-lists.tsx'
import { ReplaysPage } from './operate-replays.tsx'
import { RevokePage } from './operate-revoke.tsx'
import { ProcessesPage, StoragePage } from './operate-server.tsx'
import { Link } from './router.tsx'
import { NotFound, Page, type ScreenComponent } from './ui.tsx'

interface Part {
  step: string
  name: string
  title: string
  component: ComponentType
}

const parts: readonly Part[] = [
  { step: 'audit', name: 'Audit log', title: 'Audit log', component: AuditPage },
  { step: 'failures', name: 'Wrong credentials', title: 'Wrong credentials', component: FailuresPage },
  { step: 'revoke', name: 'Revoke', title: 'Revoke tokens and end sessions', component: RevokePage },
  { step: 'replays', name: 'Replays', title: 'Replays', component: ReplaysPage },
  { step: 'processes', name: 'Processes', title: 'Processes', component: ProcessesPage },
  { step: 'storage', name: 'Storage', title: 'Storage', component: StoragePage },
]

const Steps = ({ here }: { here: string }) => (
  <nav aria-label="Operate">
    <ul class="chips">
      {parts.map(({ step, name }) => (
        <li key={step}>
          <Link to={['operate', step]} aria-current={step === here ? 'page' : undefined}>
            {name}
          </Link>
        </li>
      ))}
    </ul>
  </nav>
)

/** What operators look after, one page each. Without a step it is the audit log. */
export const OperateScreen: ScreenComponent = ({ steps: [step = parts[0]!.step] }) => {
  const part = parts.find((one) => one.step === step)
  if (!part) return <NotFound />
  return (
    <Page title={part.title} intro={<Steps here={step} />}>
      <part.component />
    </Page>
  )
}
