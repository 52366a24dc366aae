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
  useLayoutEffect(() => dialog.current!.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={closed}>
      <h2 id={id}>{title}</h2>
      {children(() => dialog.current!.close())}
    </dialog>
  )
}
