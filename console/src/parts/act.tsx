import { useSignal } from '@preact/signals'

interface ActProps {
  label: string
  /** Its own among others with the same label. */
  name?: string | undefined
  run: () => Promise<string>
  /** Asks whether to do it at all: it cannot be undone. */
  confirm?: () => Promise<boolean>
  disabled?: boolean
}

/** A button that does something at the server, and says in words what came of it. */
export function Act({ label, name, run, confirm, disabled }: ActProps) {
  const said = useSignal('')
  const isBusy = useSignal(false)
  const press = async () => {
    said.value = ''
    if (confirm && !(await confirm())) return
    isBusy.value = true
    try {
      said.value = await run()
    } catch (error) {
      said.value = (error as Error).message
    } finally {
      isBusy.value = false
    }
  }
  return (
    <span>
      <button type="button" class={confirm && 'danger'} aria-label={name} onClick={press} disabled={disabled || isBusy.value}>
        {label}
      </button>{' '}
      <span role="status">{said.value}</span>
    </span>
  )
}
