import type { ComponentType } from 'preact'
import { AuditPage } from './operate-audit.tsx'
import { ReplaysPage, ResendsPage } from './operate-jobs.tsx'
import { FailuresPage } from './operate-lists.tsx'
import { RevokePage } from './operate-revoke.tsx'
import { ProcessesPage, StoragePage } from './operate-server.tsx'
import { NotFound, Page, Parts, type ScreenComponent } from './parts/page.tsx'

interface Part {
  step: string
  name: string
  component: ComponentType
  title?: string
}

const parts: readonly Part[] = [
  { step: 'audit', name: 'Audit log', component: AuditPage },
  { step: 'failures', name: 'Wrong credentials', component: FailuresPage },
  { step: 'revoke', name: 'Revoke', title: 'Revoke tokens and end sessions', component: RevokePage },
  { step: 'replays', name: 'Replays', component: ReplaysPage },
  { step: 'resends', name: 'Resends', component: ResendsPage },
  { step: 'processes', name: 'Processes', component: ProcessesPage },
  { step: 'storage', name: 'Storage', component: StoragePage },
]

/** What operators look after, one page each. Without a step it is the audit log. */
export const OperateScreen: ScreenComponent = ({ steps: [step = parts[0]!.step] }) => {
  const part = parts.find((one) => one.step === step)
  if (!part) return <NotFound />
  return (
    <>
      <Parts label="Operate" step="operate" parts={parts} shown={step} />
      <Page key={step} title={part.title ?? part.name}>
        <part.component />
      </Page>
    </>
  )
}
