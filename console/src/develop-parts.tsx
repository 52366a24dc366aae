import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren, Ref } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { mayOperate } from './api.ts'
import { readClock } from './clock-state.tsx'
import { apps, readNames } from './names.ts'

/** Names, and the clock, after something that may have replaced everything. */
export const readAllAgain = () => Promise.all([readNames(), readClock()])

/** The values of a form that were filled in. */
export function filled(form: FormData): Record<string, string> {
  const values = [...form].map(([name, value]) => [name, String(value).trim()] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== ''))
}

/** The items of `ada, grace`. */
export const listed = (text: string | undefined) =>
  text
    ?.split(',')
    .map((item) => item.trim())
    .filter(Boolean)

/** The fields that a refusal names: `$.to: …`. */
const fieldsIn = (message: string) => [...message.matchAll(/\$\.([\w.]+):/g)].map(([, name]) => name!)

/** A field of this name, or the nearest one that it is in: `payload.text` may be shown as `payload.items.0.text`. */
function fieldOf(form: HTMLFormElement, name: string): HTMLElement | undefined {
  const named = form.elements.namedItem(name)
  if (named instanceof HTMLElement) return named
  const last = name.split('.').at(-1)
  return [...form.elements].find((one): one is HTMLInputElement => (one as HTMLInputElement).name?.split('.').at(-1) === last)
}

/** Marks the fields that a refusal names, and leads to the first one. */
function markFields(form: HTMLFormElement, message: string, describedBy: string) {
  const fields = fieldsIn(message).flatMap((name) => fieldOf(form, name) ?? [])
  for (const field of fields) {
    field.setAttribute('aria-invalid', 'true')
    field.setAttribute('aria-errormessage', describedBy)
  }
  fields[0]?.focus()
}

interface ActFormProps {
  label: string
  submit: string
  /** Does it, and says in a sentence what came of it. */
  run: (form: FormData) => Promise<string>
  children?: ComponentChildren
}

/** A form that does something at the server. What is refused is said with the name of its field, which gets the focus. */
export function ActForm({ label, submit, run, children }: ActFormProps) {
  const said = useSignal('')
  const refused = useSignal('')
  const isBusy = useSignal(false)
  const id = useId()
  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    for (const field of form.querySelectorAll('[aria-invalid]')) field.removeAttribute('aria-invalid')
    said.value = ''
    refused.value = ''
    isBusy.value = true
    try {
      said.value = await run(new FormData(form))
    } catch (error) {
      refused.value = (error as Error).message
      markFields(form, refused.value, id)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <form class="form" aria-label={label} onSubmit={send}>
      {children}
      {refused.value && (
        <p id={id} class="failure" role="alert">
          {refused.value}
        </p>
      )}
      <p>
        <button type="submit" disabled={isBusy.value || !mayOperate()}>
          {submit}
        </button>{' '}
        <span role="status">{said.value}</span>
      </p>
    </form>
  )
}

interface FieldProps {
  label: string
  name: string
  hint?: ComponentChildren
  type?: 'text' | 'number' | 'datetime-local'
  list?: string
  min?: string
  max?: string
  step?: string
  maxLength?: number
  placeholder?: string
  defaultValue?: string
  required?: boolean
}

/** A label, its control, and what to write there, which is no part of the name. */
export function Labelled({ label, hint, control }: LabelledProps) {
  const id = useId()
  const hintId = `${id}-hint`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({ id, 'aria-describedby': hint ? hintId : undefined })}
      {hint && (
        <small id={hintId} class="soft">
          {hint}
        </small>
      )}
    </div>
  )
}

interface LabelledProps {
  label: ComponentChildren
  hint?: ComponentChildren
  control: (of: { id: string; 'aria-describedby': string | undefined }) => ComponentChildren
}

export const Field = ({ label, hint, ...input }: FieldProps) => (
  <Labelled label={label} hint={hint} control={(of) => <input type="text" autocomplete="off" {...(input as object)} {...of} />} />
)

interface ChoiceProps {
  label: string
  name: string
  options: readonly (readonly [value: string, text: string])[]
  chosen?: Signal<string>
}

export function Choice({ label, name, options, chosen }: ChoiceProps) {
  const choose = (value: string) => {
    if (chosen) chosen.value = value
  }
  return (
    <Labelled
      label={label}
      control={(of) => (
        <select {...of} name={name} value={chosen?.value} onChange={(event) => choose(event.currentTarget.value)}>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    />
  )
}

export const AppChoice = ({ any }: { any: string }) => (
  <Choice label="App" name="app_id" options={[['', any], ...apps.value.map(({ id, name }) => [id, `${name} (${id})`] as const)]} />
)

/** Selects an element's text, so that the keys of the system copy it. */
function select(element: HTMLElement) {
  const range = document.createRange()
  range.selectNodeContents(element)
  const selection = getSelection()
  selection?.removeAllRanges()
  selection?.addRange(range)
}

/** A text to copy. Where the browser does not allow that the text is selected. */
export function Copyable({ text, label, block = false }: { text: string; label: string; block?: boolean }) {
  const said = useSignal('')
  const shown = useRef<HTMLElement>(null)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      said.value = 'Copied.'
    } catch {
      select(shown.current!)
      said.value = 'Selected: copy it with the keyboard.'
    }
  }
  const Whole = block ? 'div' : 'span'
  return (
    <Whole class="copyable">
      {block ? (
        <pre ref={shown as Ref<HTMLPreElement>} tabIndex={0} role="group" aria-label={label}>
          {text}
        </pre>
      ) : (
        <code ref={shown}>{text}</code>
      )}{' '}
      <button type="button" class="small" aria-label={`Copy ${label}`} onClick={copy}>
        Copy
      </button>{' '}
      <span role="status" class="soft">
        {said.value}
      </span>
    </Whole>
  )
}

/** A button that asks in a dialog before it does something that cannot be undone. */
export function Confirmed({ label, name = label, asks, run }: { label: string; name?: string; asks: string; run: () => Promise<string> }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const said = useSignal('')
  const id = useId()
  const closed = async () => {
    const { returnValue } = dialog.current!
    dialog.current!.returnValue = ''
    if (returnValue !== 'yes') return
    said.value = ''
    said.value = await run().catch((error) => (error as Error).message)
  }
  return (
    <span class="act">
      <button type="button" aria-label={name} disabled={!mayOperate()} onClick={() => dialog.current!.showModal()}>
        {label}
      </button>{' '}
      <span role="status">{said.value}</span>
      <dialog ref={dialog} aria-labelledby={id} onClose={closed}>
        <form method="dialog">
          <p id={id}>{asks}</p>
          <p class="tools">
            <button type="submit" value="no">
              Cancel
            </button>
            <button type="submit" value="yes">
              {label}
            </button>
          </p>
        </form>
      </dialog>
    </span>
  )
}

/** The heads of a table; one without a name is that of buttons. */
export const Heads = ({ names }: { names: readonly string[] }) => (
  <thead>
    <tr>
      {names.map((name) => (
        <th scope="col" key={name}>
          {name || <span class="hidden">Do</span>}
        </th>
      ))}
    </tr>
  </thead>
)
