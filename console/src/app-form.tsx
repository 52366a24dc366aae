import { ActForm, Choice, Field, filled } from './parts/form.tsx'
import type { App } from './server-types.ts'

const KEPT_BACK = 'Then its deliveries are kept for replay; who publishes is not refused.'

/** Limits that an app may have, or not: what they are called, and what comes when they are reached. */
const QUOTAS = {
  event_quota: ['Events a month, at most', KEPT_BACK],
  delivery_quota: ['Deliveries a month, at most', KEPT_BACK],
  row_quota: ['Rows, at most', 'Webhooks, subscriptions, tokens and grants. Then new webhooks and subscriptions are refused.'],
  usage_cap: ['Usage cap, in deliveries a month', 'Then new subscriptions are refused; deliveries go on.'],
} as const

type Quota = keyof typeof QUOTAS
const quotas = Object.keys(QUOTAS) as Quota[]

export type Settings = Pick<App, 'name' | 'permissions' | 'webhook_limit' | Quota>

/** The settings of the form, whatever the app has besides. */
export function settingsOf({ name, permissions, webhook_limit, ...app }: Settings): Settings {
  return { name, permissions, webhook_limit, ...quotasBy((quota) => app[quota]) }
}

const quotasBy = (of: (quota: Quota) => number | null) =>
  Object.fromEntries(quotas.map((quota) => [quota, of(quota)])) as Pick<Settings, Quota>

const PERMISSIONS = { read: 'read', read_write: 'read and write', read_write_dm: 'read, write and direct messages' } as const

/** What a new app has unless something else is chosen. */
export const NEW: Settings = { name: '', permissions: 'read_write_dm', webhook_limit: 5, ...quotasBy(() => null) }

function read(data: FormData): Settings {
  const { name = '', permissions, webhook_limit, ...more } = filled(data)
  return {
    name,
    permissions: permissions as Settings['permissions'],
    webhook_limit: Number(webhook_limit),
    ...quotasBy((quota) => (more[quota] === undefined ? null : Number(more[quota]))),
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
    <fieldset>
      <legend>Quotas</legend>
      <p class="soft">
        Empty: none. A month is a calendar month in UTC. What the app asks for beyond is refused with <code>usage-capped</code>.
      </p>
      {quotas.map((quota) => (
        <Field
          key={quota}
          label={QUOTAS[quota][0]}
          name={quota}
          type="number"
          min="0"
          hint={QUOTAS[quota][1]}
          defaultValue={String(settings[quota] ?? '')}
        />
      ))}
    </fieldset>
  </ActForm>
)
