import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { webhookName } from './names.ts'
import { Dialog } from './parts/dialog.tsx'
import { isJob, type Progress, resendByJob, resendPages, resendRows, statesInWords, type Wanted, wantedBy } from './resend-pages.ts'
import type { Filter } from './row-filter.ts'
import { selected, selectNone } from './selection.ts'
import { nowMs, Time } from './time.tsx'
import { counted, writeCount } from './words.ts'

const deliveries = (count: number) => counted(count, 'delivery', 'deliveries')

const Refused = ({ of }: { of: ReadonlyMap<string, string> }) =>
  of.size === 0 ? null : (
    <ul aria-label="Webhooks to which nothing is sent">
      {[...of].map(([webhook, why]) => (
        <li key={webhook}>
          {webhookName(webhook)}: {why}
        </li>
      ))}
    </ul>
  )

type Step = 'counting' | 'counted' | 'sending' | 'ended' | 'failed'

/** Counts, asks, and sends: by a job, or to one webhook page by page. Both can be stopped between two pages; a job goes on when the dialog is closed. */
function useResend(wanted: Wanted) {
  const step = useSignal<Step>('counting')
  const progress = useSignal<Progress>({ done: 0, refused: new Map() })
  const total = useSignal(0)
  const failure = useSignal('')
  const isStopped = useRef(false)
  const isGone = useRef(false)
  const run = async (isDryRun: boolean, ended: Step) => {
    try {
      for await (const page of resendPages(wanted, isDryRun)) {
        progress.value = page
        if (isStopped.current || isGone.current) break
      }
      if (isDryRun) total.value = progress.value.done
      step.value = ended
    } catch (error) {
      failure.value = (error as Error).message
      step.value = 'failed'
    }
  }
  const runJob = async () => {
    try {
      for await (const done of resendByJob(wanted, () => isStopped.current)) {
        progress.value = { ...progress.value, done }
        if (isGone.current) break
      }
      step.value = 'ended'
    } catch (error) {
      failure.value = (error as Error).message
      step.value = 'failed'
    }
  }
  useEffect(() => {
    void run(true, 'counted')
    return () => {
      isGone.current = true
    }
  }, [])
  const send = () => {
    progress.value = { done: 0, refused: isJob(wanted) ? progress.value.refused : new Map() }
    step.value = 'sending'
    void (isJob(wanted) ? runJob() : run(false, 'ended'))
  }
  const stop = () => {
    isStopped.current = true
  }
  return { step: step.value, progress: progress.value, total: total.value, failure: failure.value, isStopped, send, stop }
}

function ResendDialog({ wanted, close }: { wanted: Wanted; close: () => void }) {
  const { step, progress, total, failure, isStopped, send, stop } = useResend(wanted)
  const { from, to } = wanted.parameters
  const words: Record<Step, string> = {
    counting: `Counting: ${writeCount(progress.done)} so far.`,
    counted: `${deliveries(total)} would be sent again.`,
    sending: `${writeCount(progress.done)} of ${writeCount(total)} sent again.`,
    ended: `${isStopped.current ? 'Stopped. ' : ''}${deliveries(progress.done)} sent again.`,
    failed: `${progress.done > 0 ? `${deliveries(progress.done)} sent again, then: ` : ''}${failure}`,
  }
  return (
    <>
      <p>
        What is {statesInWords(wanted)}, of events accepted from <Time at={from!} /> to <Time at={to!} />.
      </p>
      {step === 'sending' && <progress max={Math.max(total, 1)} value={progress.done} aria-label="Sent again" />}
      <p role="status">{words[step]}</p>
      {step === 'sending' && isJob(wanted) && <p>The server goes on when you close this.</p>}
      <Refused of={progress.refused} />
      <div class="tools">
        {step === 'counted' && total > 0 && (
          <button type="button" onClick={send}>
            Resend {writeCount(total)}
          </button>
        )}
        {step === 'sending' && (
          <button type="button" onClick={stop}>
            {isJob(wanted) ? 'Cancel the job' : 'Stop'}
          </button>
        )}
        {(step !== 'sending' || isJob(wanted)) && (
          <button type="button" onClick={close}>
            {step === 'counting' || step === 'counted' ? 'Cancel' : 'Close'}
          </button>
        )}
      </div>
    </>
  )
}

/** A button that resends all deliveries that match filters, once they are counted. */
export function ResendMatching({ filter, label = 'Resend all that match' }: { filter: Filter; label?: string }) {
  const asked = useSignal<Wanted | string | undefined>(undefined)
  const open = asked.value
  return (
    <>
      <button type="button" onClick={() => (asked.value = wantedBy(filter, nowMs.peek()))}>
        {label}…
      </button>
      {open !== undefined && (
        <Dialog title={label} closed={() => (asked.value = undefined)}>
          {(close) =>
            typeof open === 'string' ? (
              <>
                <p>{open}</p>
                <button type="button" onClick={close}>
                  Close
                </button>
              </>
            ) : (
              <ResendDialog wanted={open} close={close} />
            )
          }
        </Dialog>
      )}
    </>
  )
}

/** Resends the rows that are selected in the feed. */
export function ResendSelected() {
  const said = useSignal('')
  const refused = useSignal<ReadonlyMap<string, string>>(new Map())
  const isBusy = useSignal(false)
  const count = selected.value.size
  const resend = async () => {
    isBusy.value = true
    const rows = [...selected.value.values()]
    for await (const { done, refused: why, looked } of resendRows(rows)) {
      said.value =
        looked < rows.length
          ? `${looked} of ${rows.length}…`
          : `${deliveries(done)} sent again${done < rows.length ? `, ${rows.length - done} not: under way already, or refused` : ''}.`
      refused.value = new Map(why)
    }
    selectNone()
    isBusy.value = false
  }
  return (
    <>
      <button type="button" onClick={resend} disabled={count === 0 || isBusy.value}>
        Resend selected{count > 0 && ` (${count})`}
      </button>
      <span role="status">{said.value}</span>
      <Refused of={refused.value} />
    </>
  )
}
