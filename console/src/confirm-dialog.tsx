import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Dialog } from './dialog.tsx'

interface ConfirmDialogProps {
  title: string
  /** What will happen. */
  says: string
  /** The button that does it. */
  label: string
  /** Does it, and says in a sentence what came of it. */
  run(): Promise<string>
  closed(): void
}

/** Asks before something that cannot be undone, and says what came of it. Escape and Cancel leave it undone. */
export function ConfirmDialog({ title, says, label, run, closed }: ConfirmDialogProps) {
  const end = useRef<HTMLButtonElement>(null)
  const said = useSignal('')
  const isBusy = useSignal(false)
  const confirm = async () => {
    isBusy.value = true
    said.value = await run().catch((error) => (error as Error).message)
    isBusy.value = false
  }
  useEffect(() => {
    if (said.value) end.current?.focus()
  }, [said.value])
  return (
    <Dialog title={title} closed={closed}>
      {(close) => (
        <>
          <p>{says}</p>
          <p role="status">{said.value}</p>
          <p class="tools">
            <button type="button" ref={end} onClick={close} disabled={isBusy.value}>
              {said.value === '' ? 'Cancel' : 'Close'}
            </button>
            {said.value === '' && (
              <button type="button" class="danger" onClick={confirm} disabled={isBusy.value}>
                {label}
              </button>
            )}
          </p>
        </>
      )}
    </Dialog>
  )
}
