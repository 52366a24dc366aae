import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { act, mayOperate } from './api.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { appName, apps } from './names.ts'

/** What a form asks for, in words, and what does it. */
interface Asked {
  title: string
  says: string
  label: string
  run(): Promise<string>
}

interface ActFormProps {
  heading: string
  intro: string
  label: string
  /** What is asked for; undefined while nothing is filled in. */
  read(fields: Map<string, string>): Asked | undefined
  children: ComponentChildren
}

/** A form that asks in a dialog before it acts. Nothing of it is in the address. */
function ActForm({ heading, intro, label, read, children }: ActFormProps) {
  const asked = useSignal<Asked | undefined>(undefined)
  const said = useSignal('')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const entries = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()] as const)
    const found = read(new Map(entries.filter(([, value]) => value !== '')))
    const run = async () => {
      const outcome = await found!.run()
      form.reset()
      return outcome
    }
    asked.value = found && { ...found, run }
    said.value = asked.value ? '' : 'Fill in one of the fields first.'
  }
  return (
    <section aria-label={heading}>
      <h2>{heading}</h2>
      <p>{intro}</p>
      <form onSubmit={submit}>
        <fieldset class="form" disabled={!mayOperate()}>
          {children}
          <button type="submit">{label}</button>
        </fieldset>
        <p role="status">{said.value}</p>
      </form>
      {asked.value && <ConfirmDialog {...asked.value} closed={() => (asked.value = undefined)} />}
    </section>
  )
}

const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

const revoke = async (holder: Record<string, string>) => {
  const { body } = await act<{ data: { revoked: number } }>('POST', 'tokens/revoke', holder)
  const { revoked } = body.data
  return revoked === 0 ? 'There was no such token: nothing was revoked.' : `${counted(revoked, 'token was', 'tokens were')} revoked.`
}

const endSessions = async (userId: string) => {
  const { body } = await act<{ data: { ended: number } }>('DELETE', `sessions?user_id=${encodeURIComponent(userId)}`)
  const { ended } = body.data
  return ended === 0 ? 'The user had no session: nothing was ended.' : `${counted(ended, 'session was', 'sessions were')} ended.`
}

function holderWords(userId: string | undefined, appId: string | undefined): string {
  const app = appId === undefined ? '' : `${appName(appId)} (${appId})`
  if (userId === undefined) return `All tokens of the app ${app}, and its bearer token`
  return appId === undefined ? `All tokens of user ${userId}` : `All tokens of user ${userId} for the app ${app}`
}

const UNDONE = 'From the next call on they are refused. It cannot be undone: the user has to sign in again.'

function readHolder(fields: Map<string, string>): Asked | undefined {
  const userId = fields.get('user_id')
  const appId = fields.get('app_id')
  if (userId === undefined && appId === undefined) return undefined
  const holder = { ...(userId !== undefined && { user_id: userId }), ...(appId !== undefined && { app_id: appId }) }
  return { title: 'Revoke these tokens?', says: `${holderWords(userId, appId)}. ${UNDONE}`, label: 'Revoke', run: () => revoke(holder) }
}

function readToken(fields: Map<string, string>): Asked | undefined {
  const token = fields.get('token')
  const says = 'The token that you gave is refused from the next call on. It cannot be undone: its user has to sign in again.'
  return token === undefined ? undefined : { title: 'Revoke this token?', says, label: 'Revoke', run: () => revoke({ token }) }
}

function readSessions(fields: Map<string, string>): Asked | undefined {
  const userId = fields.get('user_id')
  if (userId === undefined) return undefined
  return {
    title: 'End these sessions?',
    says: `All sessions of user ${userId} at the approval page. The user has to give the password again; access tokens stay.`,
    label: 'End sessions',
    run: () => endSessions(userId),
  }
}

const UserField = () => (
  <label>
    User id
    <input name="user_id" inputMode="numeric" autocomplete="off" pattern="[0-9]{1,19}" title="digits, at most 19" />
  </label>
)

export function RevokePage() {
  return (
    <>
      {!mayOperate() && (
        <p class="failure">Your operator token only reads. Sign in with one that has the role operate to revoke and end.</p>
      )}
      <ActForm
        heading="Tokens of a user or an app"
        intro="Choose a user, an app, or both: then those of the app for the user."
        label="Revoke…"
        read={readHolder}
      >
        <UserField />
        <label>
          App
          <select name="app_id">
            <option value="">any</option>
            {apps.value.map(({ id, name }) => (
              <option key={id} value={id}>
                {name} ({id})
              </option>
            ))}
          </select>
        </label>
      </ActForm>
      <ActForm
        heading="One token"
        intro="An access token, a refresh token or a bearer token. It is sent once, and kept nowhere."
        label="Revoke…"
        read={readToken}
      >
        <label>
          Token
          <input name="token" type="password" autocomplete="off" />
        </label>
      </ActForm>
      <ActForm heading="Sessions" intro="Sign a user out at the approval page." label="End sessions…" read={readSessions}>
        <UserField />
      </ActForm>
    </>
  )
}
