import { useSignal } from '@preact/signals'
import type { ComponentChildren, TargetedEvent } from 'preact'
import { useId } from 'preact/hooks'
import { mayOperate } from '../api.ts'
import { apps } from '../names.ts'
import { type Question, useConfirm } from './dialog.tsx'

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

/** Marks the fields that a refusal names, or the only one that there is, and leads to the first. */
function markFields(form: HTMLFormElement, message: string, describedBy: string) {
  const only = [...form.querySelectorAll<HTMLElement>('input, select, textarea')]
  const named = fieldsIn(message).flatMap((name) => fieldOf(form, name) ?? [])
  const fields = named.length === 0 && only.length === 1 ? only : named
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
  run: (data: FormData, form: HTMLFormElement) => Promise<string>
  /** What is asked before; throws what is missing. */
  asks?: (data: FormData) => Question
  /** Who may not operate may not do it either, unless it says so. */
  disabled?: boolean
  children?: ComponentChildren
}

/** A form that does something at the server. What is refused is said with the name of its field, which gets the focus. */
export function ActForm({ label, submit, run, asks, disabled = !mayOperate(), children }: ActFormProps) {
  const { confirm, dialog } = useConfirm()
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
    try {
      const data = new FormData(form)
      if (asks && !(await confirm(asks(data)))) return
      isBusy.value = true
      said.value = await run(data, form)
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
        <button type="submit" class={asks && 'danger'} disabled={isBusy.value || disabled}>
          {submit}
        </button>{' '}
        <span role="status">{said.value}</span>
      </p>
      {dialog}
    </form>
  )
}

interface FieldProps {
  label: string
  name: string
  hint?: ComponentChildren
  type?: 'text' | 'number' | 'datetime-local' | 'password' | 'search'
  list?: string
  min?: string
  max?: string
  step?: string
  maxLength?: number
  placeholder?: string
  defaultValue?: string
  required?: boolean
  value?: string
  pattern?: string
  title?: string
  inputMode?: 'numeric'
  onChange?: (event: TargetedEvent<HTMLInputElement>) => void
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

export type Options = readonly (readonly [value: string, words: string])[]

interface ChoiceProps {
  label: string
  name: string
  options: Options
  /** What is chosen; without it the first one. */
  value?: string
  choose?: (value: string) => void
}

export const Choice = ({ label, name, options, value, choose }: ChoiceProps) => (
  <Labelled
    label={label}
    control={(of) => (
      <select {...of} name={name} value={choose && value} onChange={(event) => choose?.(event.currentTarget.value)}>
        {options.map(([one, words]) => (
          <option key={one} value={one} selected={one === value}>
            {words}
          </option>
        ))}
      </select>
    )}
  />
)

export const AppChoice = ({ any }: { any: string }) => (
  <Choice label="App" name="app_id" options={[['', any], ...apps.value.map(({ id, name }) => [id, `${name} (${id})`] as const)]} />
)
