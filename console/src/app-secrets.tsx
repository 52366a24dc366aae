import { useSignal } from '@preact/signals'
import { act } from './api.ts'
import { ActForm, Choice, filled } from './parts/form.tsx'
import { type Secrets, SecretsDialog } from './secrets-dialog.tsx'
import type { App } from './server-types.ts'

export interface Changed {
  data: App & { consumer_secret?: string; oauth2_client_secret?: string | null }
}

/** What of an answer is shown this once. */
export function secretsIn({ data: { consumer_key, consumer_secret, oauth2_client_id, oauth2_client_secret } }: Changed): Secrets {
  const all = [
    ['Consumer key', consumer_secret && consumer_key],
    ['Consumer secret', consumer_secret],
    ['OAuth 2.0 client id', oauth2_client_secret && oauth2_client_id],
    ['OAuth 2.0 client secret', oauth2_client_secret],
  ] as const
  return all.filter((one): one is [string, string] & typeof one => Boolean(one[1]))
}

const OVERLAPS = [
  ['24h', '24 hours'],
  ['0s', 'not at all'],
  ['1h', 'an hour'],
  ['7d', '7 days'],
] as const

/** Gives an app a new secret, in its page and in its portal. */
export function Rotation({ appId, changed }: { appId: string; changed?: () => void }) {
  const secrets = useSignal<Secrets>([])
  const rotate = async (data: FormData) => {
    const { body } = await act<Changed>('PATCH', `apps/${appId}`, { rotate_secret: filled(data) })
    secrets.value = secretsIn(body)
    changed?.()
    return 'The app has a new secret.'
  }
  return (
    <>
      <h2>Secret</h2>
      <p class="soft">
        The current one stays valid for the time that you choose, and one before it ends now. Events are signed with the new one once the
        callback has answered a challenge with it.
      </p>
      <ActForm label="Rotate the consumer secret" submit="Rotate the consumer secret" run={rotate} disabled={false}>
        <Choice label="The current secret stays valid" name="overlap" options={OVERLAPS} />
      </ActForm>
      {secrets.value.length > 0 && <SecretsDialog secrets={secrets.value} closed={() => (secrets.value = [])} />}
    </>
  )
}
