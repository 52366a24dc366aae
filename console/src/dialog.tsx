import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

interface DialogProps {
  title: string
  /** Called once it is closed, by Escape too. */
  closed: () => void
  /** What it shows; `close` closes it. */
  children: (close: () => void) => ComponentChildren
}

/** A dialog of the browser: it holds the focus, and gives it back to where it was. */
export function Dialog({ title, closed, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const isOver = useRef(false)
  /** The event comes a moment after the dialog is closed: what it shows goes at once. */
  const end = () => {
    if (isOver.current) return
    isOver.current = true
    dialog.current?.close()
    closed()
  }
  useLayoutEffect(() => dialog.current!.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby={id} onCancel={end} onClose={end}>
      <h2 id={id}>{title}</h2>
      {children(end)}
    </dialog>
  )
}
