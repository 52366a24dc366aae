import { useSignal } from '@preact/signals'
import type { App } from './server-types.ts'

export type Settings = Pick<App, 'name' | 'permissions' | 'webhook_limit' | 'usage_cap'>

export const settingsOf = ({ name, permissions, webhook_limit, usage_cap }: App): Settings => ({
  name,
  permissions,
  webhook_limit,
  usage_cap,
})

const PERMISSIONS = { read: 'read', read_write: 'read and write', read_write_dm: 'read, write and direct messages' } as const

function read(form: HTMLFormElement): Settings {
  const fields = new FormData(form)
  const cap = String(fields.get('usage_cap'))
  return {
    name: String(fields.get('name')),
    permissions: fields.get('permissions') as Settings['permissions'],
    webhook_limit: Number(fields.get('webhook_limit')),
    usage_cap: cap === '' ? null : Number(cap),
  }
}

interface FormProps {
  settings: Settings
  label: string
  /** Saves, and says so in words. */
  submit: (settings: Settings) => Promise<string>
}

/** The settings of an app that change often. */
export function AppForm({ settings, label, submit }: FormProps) {
  const said = useSignal('')
  const isBusy = useSignal(false)
  const save = async (event: SubmitEvent) => {
    event.preventDefault()
    isBusy.value = true
    said.value = await submit(read(event.currentTarget as HTMLFormElement)).catch((error: Error) => error.message)
    isBusy.value = false
  }
  return (
    <form class="form" onSubmit={save}>
      <label>
        Name
        <input type="text" name="name" required maxLength={100} defaultValue={settings.name} />
      </label>
      <label>
        Permissions
        <select name="permissions">
          {Object.entries(PERMISSIONS).map(([value, words]) => (
            <option key={value} value={value} selected={value === settings.permissions}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <label>
        Webhooks, at most
        <input type="number" name="webhook_limit" required min={0} max={100_000} defaultValue={String(settings.webhook_limit)} />
      </label>
      <label>
        Events a month, at most; empty for no limit
        <input type="number" name="usage_cap" min={0} defaultValue={settings.usage_cap === null ? '' : String(settings.usage_cap)} />
      </label>
      <button type="submit" disabled={isBusy.value}>
        {label}
      </button>
      <span role="status">{said.value}</span>
    </form>
  )
}
