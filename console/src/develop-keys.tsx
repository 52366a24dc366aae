import { get } from './api.ts'
import { Copyable, Heads } from './develop-parts.tsx'
import { appName } from './names.ts'
import { Link } from './router.tsx'
import type { Keys } from './server-types.ts'
import { Failure, Page, useLoaded } from './ui.tsx'

type App = Keys['data']['apps'][number]
type Person = Keys['data']['people'][number]

const useKeys = () => useLoaded('keys', async () => (await get<Keys>('keys')).body)

const Hidden = () => <span class="soft">not shown: it was answered once, when it was made</span>

function AppKeys({ app }: { app: App }) {
  const rows = [
    ['App id', app.id],
    ['Consumer key', app.consumer_key],
    ['Consumer secret', app.consumer_secret],
    ...(app.oauth2_client_id === null
      ? []
      : ([
          ['OAuth 2.0 client', app.oauth2_client_id],
          ['OAuth 2.0 secret', app.oauth2_client_secret],
        ] as const)),
  ] as const
  return (
    <>
      <h3>{app.name}</h3>
      <dl class="facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value ? <Copyable text={value} label={`${name} of ${app.name}`} /> : <Hidden />}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

const PersonRow = ({ person: { id, username, name, password, tokens } }: { person: Person }) => (
  <tr>
    <th scope="row">
      {username} <span class="soft">{name}</span>
    </th>
    <td data-label="Id">
      <code>{id}</code>
    </td>
    <td data-label="Password">{password !== null && <Copyable text={password} label={`password of ${username}`} />}</td>
    <td data-label="Access token">
      {tokens.map((token) => (
        <div key={token.oauth_token}>
          <Copyable text={token.oauth_token} label={`access token of ${username}`} /> <span class="soft">for {appName(token.app_id)}</span>
        </div>
      ))}
    </td>
    <td data-label="Token secret">
      {tokens.map((token) => (
        <div key={token.oauth_token}>
          <Copyable text={token.oauth_token_secret} label={`token secret of ${username}`} />
        </div>
      ))}
    </td>
  </tr>
)

const Pastes = ({ pastes }: Pick<Keys['data'], 'pastes'>) => (
  <>
    {pastes.map(({ says, command }, place) => (
      <div key={command}>
        <p>{says}</p>
        <Copyable block text={command} label={`command ${place + 1}`} />
      </div>
    ))}
  </>
)

function KeysAndPeople({ keys: { data, meta } }: { keys: Keys }) {
  return (
    <>
      <h2>Keys</h2>
      {data.apps.map((app) => (
        <AppKeys key={app.id} app={app} />
      ))}
      {data.apps.length === 0 && (
        <p class="empty">
          There is no app. <code>npx postern apps create</code> makes one, and so does a seed.
        </p>
      )}
      <h2>People</h2>
      <table>
        <caption>
          Who can be named in calls and triggers. Tokens and passwords are those of the demo seed
          {meta.has_more_people && '; there are more people'}
        </caption>
        <Heads names={['Person', 'Id', 'Password', 'Access token', 'Token secret']} />
        <tbody>
          {data.people.map((person) => (
            <PersonRow key={person.id} person={person} />
          ))}
        </tbody>
      </table>
    </>
  )
}

/** What a newcomer needs: what to paste, then keys and people. */
export function FirstSteps() {
  const { value: keys, error, reload } = useKeys()
  if (error) return <Failure error={error} retry={reload} />
  if (!keys) return <p class="soft">Reading…</p>
  return (
    <>
      {keys.data.pastes.length > 0 && <h2>Paste first</h2>}
      <Pastes pastes={keys.data.pastes} />
      <p>
        Or <Link to={['develop', 'trigger']}>make an event here</Link>.
      </p>
      <KeysAndPeople keys={keys} />
    </>
  )
}

export const KeysScreen = () => (
  <Page title="People and keys">
    <FirstSteps />
  </Page>
)
