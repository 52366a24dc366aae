import { act } from './api.ts'
import { appName, readAll, userName } from './names.ts'
import { ConfirmedAct } from './parts/dialog.tsx'
import { Empty } from './parts/empty.tsx'
import { Field } from './parts/form.tsx'
import { Loading, useLoaded } from './parts/loaded.tsx'
import { Table } from './parts/table.tsx'
import { place, setQuery } from './router.tsx'
import type { Consent } from './server-types.ts'
import { Time } from './time.tsx'
import { counted } from './words.ts'

/** Revokes the tokens of a holder, and says how many there were. */
export async function revoke(holder: Record<string, string>) {
  const { body } = await act<{ data: { revoked: number } }>('POST', 'tokens/revoke', holder)
  const { revoked } = body.data
  return revoked === 0 ? 'There was no such token: nothing was revoked.' : `${counted(revoked, 'token was', 'tokens were')} revoked.`
}

export const UNDONE = 'From the next call on they are refused. It cannot be undone: the user has to sign in again.'

const Granted = ({ consent: { tokens, grants } }: { consent: Consent }) => (
  <ul class="plain">
    {tokens.map(({ access, granted_at }) => (
      <li key={access}>
        OAuth 1.0a, {access}, since <Time at={granted_at} />
      </li>
    ))}
    {grants.map(({ scopes, granted_at, expires_at }) => (
      <li key={granted_at}>
        OAuth 2.0, {scopes.join(' ')}, since <Time at={granted_at} />, until <Time at={expires_at} />
      </li>
    ))}
  </ul>
)

function ConsentsOf({ userId }: { userId: string }) {
  const loaded = useLoaded(`consents ${userId}`, () => readAll<Consent>(`users/${encodeURIComponent(userId)}/consents`, 100))
  const revokeOf = async (appId: string) => {
    const said = await revoke({ user_id: userId, app_id: appId })
    loaded.reload()
    return said
  }
  return (
    <Loading of={loaded}>
      {(consents) => (
        <Table
          caption={`What user ${userName(userId)} has granted apps`}
          columns={['App', 'Granted', 'Act']}
          items={consents}
          keyOf={({ app_id }) => app_id}
          empty={<Empty>The user has granted no app anything.</Empty>}
          cells={(consent) => [
            appName(consent.app_id),
            <Granted consent={consent} />,
            <ConfirmedAct
              label="Revoke"
              name={`Revoke what ${appName(consent.app_id)} has`}
              title="Revoke these tokens?"
              says={`All tokens of user ${userName(userId)} for the app ${appName(consent.app_id)}. ${UNDONE}`}
              run={() => revokeOf(consent.app_id)}
            />,
          ]}
        />
      )}
    </Loading>
  )
}

/** What a user has granted, app by app; which user is in the address. */
export function Consents() {
  const userId = place.value.query.get('user') ?? ''
  return (
    <>
      <form class="form" aria-label="What a user has granted" onSubmit={(event) => event.preventDefault()}>
        <Field
          label="Show what this user has granted"
          name="user"
          type="search"
          inputMode="numeric"
          hint="The id of the user."
          value={userId}
          onChange={(event) => setQuery({ user: event.currentTarget.value.trim() })}
        />
      </form>
      {userId && <ConsentsOf key={userId} userId={userId} />}
    </>
  )
}
