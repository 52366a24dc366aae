import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { mayOperate } from '../api.ts'
import { Act } from './act.tsx'

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

/** What is asked before something that cannot be undone. */
export interface Question {
  title: string
  /** What will happen. */
  says: string
  /** The button that does it. */
  label: string
}

/** Asks it: Escape and Cancel leave it undone. */
export const Confirm = ({ title, says, label, answered }: Question & { answered: (isConfirmed: boolean) => void }) => {
  const isConfirmed = useRef(false)
  return (
    <Dialog title={title} closed={() => answered(isConfirmed.current)}>
      {(close) => (
        <>
          <p>{says}</p>
          <p class="tools">
            <button type="button" onClick={close}>
              Cancel
            </button>
            <button
              type="button"
              class="danger"
              onClick={() => {
                isConfirmed.current = true
                close()
              }}
            >
              {label}
            </button>
          </p>
        </>
      )}
    </Dialog>
  )
}

/** Asks, and resolves to whether it was confirmed; `dialog` is to be shown. */
export function useConfirm() {
  const asked = useSignal<(Question & { answered: (isConfirmed: boolean) => void }) | undefined>(undefined)
  const confirm = (question: Question) =>
    new Promise<boolean>((resolve) => {
      const answered = (isConfirmed: boolean) => {
        asked.value = undefined
        resolve(isConfirmed)
      }
      asked.value = { ...question, answered }
    })
  return { confirm, dialog: asked.value && <Confirm {...asked.value} /> }
}

/** A button that asks before it does something that cannot be undone. `name` is its own among others with the same label. */
export function ConfirmedAct({ label, name, run, ...question }: Question & { name?: string; run: () => Promise<string> }) {
  const { confirm, dialog } = useConfirm()
  return (
    <>
      <Act label={label} name={name} run={run} confirm={() => confirm({ label, ...question })} disabled={!mayOperate()} />
      {dialog}
    </>
  )
}
