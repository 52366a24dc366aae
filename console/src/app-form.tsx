import { ActForm, Choice, Field, filled } from './parts/form.tsx'
import type { App } from './server-types.ts'

export type Settings = Pick<App, 'name' | 'permissions' | 'webhook_limit' | 'usage_cap'>

export const settingsOf = ({ name, permissions, webhook_limit, usage_cap }: App): Settings => ({
  name,
  permissions,
  webhook_limit,
  usage_cap,
})

const PERMISSIONS = { read: 'read', read_write: 'read and write', read_write_dm: 'read, write and direct messages' } as const

function read(data: FormData): Settings {
  const { name = '', permissions, webhook_limit, usage_cap } = filled(data)
  return {
    name,
    permissions: permissions as Settings['permissions'],
    webhook_limit: Number(webhook_limit),
    usage_cap: usage_cap === undefined ? null : Number(usage_cap),
  }
}

interface FormProps {
  settings: Settings
  label: string
  submit: string
  /** Saves, and says so in words. */
  save: (settings: Settings) => Promise<string>
}

/** The settings of an app that change often. */
export const AppForm = ({ settings, label, submit, save }: FormProps) => (
  <ActForm label={label} submit={submit} run={(data) => save(read(data))}>
    <Field label="Name" name="name" required maxLength={100} defaultValue={settings.name} />
    <Choice label="Permissions" name="permissions" options={Object.entries(PERMISSIONS)} value={settings.permissions} />
    <Field
      label="Webhooks, at most"
      name="webhook_limit"
      type="number"
      required
      min="0"
      max="100000"
      defaultValue={String(settings.webhook_limit)}
    />
    <Field
      label="Events a month, at most"
      name="usage_cap"
      type="number"
      min="0"
      hint="Empty: no limit."
      defaultValue={String(settings.usage_cap ?? '')}
    />
  </ActForm>
)
