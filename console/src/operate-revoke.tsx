import { act, mayOperate } from './api.ts'
import { appName } from './names.ts'
import { Consents, revoke, UNDONE } from './operate-consents.tsx'
import { ActForm, AppChoice, Field, filled } from './parts/form.tsx'
import { counted } from './words.ts'

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

interface Holder {
  user_id?: string
  app_id?: string
  token?: string
}

const holderIn: (data: FormData) => Holder = filled

function asksHolder(data: FormData) {
  const { user_id, app_id } = holderIn(data)
  if (user_id === undefined && app_id === undefined) throw new Error('Fill in one of the fields first.')
  return { title: 'Revoke these tokens?', says: `${holderWords(user_id, app_id)}. ${UNDONE}`, label: 'Revoke' }
}

const asksToken = () => ({
  title: 'Revoke this token?',
  says: 'The token that you gave is refused from the next call on. It cannot be undone: its user has to sign in again.',
  label: 'Revoke',
})

const asksSessions = (data: FormData) => ({
  title: 'End these sessions?',
  says: `All sessions of user ${holderIn(data).user_id} at the approval page. The user has to give the password again; access tokens stay.`,
  label: 'End sessions',
})

/** Leaves nothing in the fields. */
const emptied = (run: (data: FormData) => Promise<string>) => async (data: FormData, form: HTMLFormElement) => {
  const said = await run(data)
  form.reset()
  return said
}

const revokeHolder = emptied((data) => revoke(filled(data)))
const endSessionsOf = emptied((data) => endSessions(filled(data).user_id!))

const UserField = ({ required = false }: { required?: boolean }) => (
  <Field label="User id" name="user_id" inputMode="numeric" pattern="[0-9]{1,19}" title="digits, at most 19" required={required} />
)

export const RevokePage = () => (
  <>
    {!mayOperate() && <p class="failure">Your operator token only reads. Sign in with one that has the role operate to revoke and end.</p>}
    <h2>What a user has granted</h2>
    <Consents />
    <div class="side-by-side">
      <section>
        <h2>Tokens of a user or an app</h2>
        <p class="soft">Choose a user, an app, or both: then those of the app for the user.</p>
        <ActForm label="Tokens of a user or an app" submit="Revoke…" asks={asksHolder} run={revokeHolder}>
          <UserField />
          <AppChoice any="any" />
        </ActForm>
      </section>
      <section>
        <h2>One token</h2>
        <p class="soft">An access token, a refresh token or a bearer token. It is sent once, and kept nowhere.</p>
        <ActForm label="One token" submit="Revoke…" asks={asksToken} run={revokeHolder}>
          <Field label="Token" name="token" type="password" required />
        </ActForm>
      </section>
      <section>
        <h2>Sessions</h2>
        <p class="soft">Sign a user out at the approval page.</p>
        <ActForm label="Sessions" submit="End sessions…" asks={asksSessions} run={endSessionsOf}>
          <UserField required />
        </ActForm>
      </section>
    </div>
  </>
)
