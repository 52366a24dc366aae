import { useSignal } from '@preact/signals'
import type { Ref, RefObject } from 'preact'
import { useRef } from 'preact/hooks'

/** Selects an element's text, so that the keys of the system copy it. */
function select(element: HTMLElement) {
  const range = document.createRange()
  range.selectNodeContents(element)
  const selection = getSelection()
  selection?.removeAllRanges()
  selection?.addRange(range)
}

interface CopyButtonProps {
  text: string
  label: string
  /** Where the text is shown. */
  shown: RefObject<HTMLElement | null>
}

/** Copies a text. Where the browser does not allow that, the text is selected. */
export function CopyButton({ text, label, shown }: CopyButtonProps) {
  const said = useSignal('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      said.value = 'Copied.'
    } catch {
      select(shown.current!)
      said.value = 'Selected: copy it with the keyboard.'
    }
  }
  return (
    <>
      <button type="button" class="small" aria-label={`Copy ${label}`} onClick={copy}>
        Copy
      </button>{' '}
      <span role="status" class="soft">
        {said.value}
      </span>
    </>
  )
}

/** A text to copy: within a line, or a block of its own. */
export function Copyable({ text, label, block = false }: { text: string; label: string; block?: boolean }) {
  const shown = useRef<HTMLElement>(null)
  const Whole = block ? 'div' : 'span'
  return (
    <Whole>
      {block ? (
        <pre ref={shown as Ref<HTMLPreElement>} tabIndex={0} role="group" aria-label={label}>
          {text}
        </pre>
      ) : (
        <code ref={shown}>{text}</code>
      )}{' '}
      <CopyButton text={text} label={label} shown={shown} />
    </Whole>
  )
}
