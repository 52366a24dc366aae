import { useSignal } from '@preact/signals'

/** A text to copy. It is selected by its button where the browser does not allow to copy. */
export function CopyText({ text, label }: { text: string; label: string }) {
  const said = useSignal('')
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => {
        said.value = 'Copied.'
      },
      () => {
        said.value = 'The browser does not allow to copy: select the text.'
      },
    )
  return (
    <div role="group" aria-label={label}>
      <pre tabIndex={0} aria-label={label} role="group">
        {text}
      </pre>
      <button type="button" onClick={copy} aria-label={`Copy: ${label}`}>
        Copy
      </button>{' '}
      <span role="status">{said.value}</span>
    </div>
  )
}
