import { get } from './api.ts'
import { appName } from './names.ts'
import { Copyable } from './parts/copy.tsx'
import { Empty } from './parts/empty.tsx'
import { type Fact, Facts } from './parts/facts.tsx'
import { Loading, useLoaded } from './parts/loaded.tsx'
import { Page } from './parts/page.tsx'
import { Table } from './parts/table.tsx'
import { Link } from './router.tsx'
import type { Keys } from './server-types.ts'

type App = Keys['data']['apps'][number]
type Person = Keys['data']['people'][number]

const useKeys = () => useLoaded('keys', async () => (await get<Keys>('keys')).body)

const Hidden = () => <span class="soft">not shown: it was answered once, when it was created</span>

function AppKeys({ app }: { app: App }) {
  const fact = (name: string, value: string | null): Fact => [
    name,
    value ? <Copyable text={value} label={`${name} of ${app.name}`} /> : <Hidden />,
  ]
  const hasOAuth2 = app.oauth2_client_id !== null
  return (
    <>
      <h3>{app.name}</h3>
      <Facts
        of={[
          fact('App id', app.id),
          fact('Consumer key', app.consumer_key),
          fact('Consumer secret', app.consumer_secret),
          hasOAuth2 && fact('OAuth 2.0 client id', app.oauth2_client_id),
          hasOAuth2 && fact('OAuth 2.0 client secret', app.oauth2_client_secret),
        ]}
      />
    </>
  )
}

const cellsOf = ({ id, username, name, password, tokens }: Person) => [
  <>
    {username} <span class="soft">{name}</span>
  </>,
  <code>{id}</code>,
  password !== null && <Copyable text={password} label={`password of ${username}`} />,
  tokens.map(({ oauth_token, app_id }) => (
    <div key={oauth_token}>
      <Copyable text={oauth_token} label={`access token of ${username}`} /> <span class="soft">for {appName(app_id)}</span>
    </div>
  )),
  tokens.map(({ oauth_token, oauth_token_secret }) => (
    <div key={oauth_token}>
      <Copyable text={oauth_token_secret} label={`token secret of ${username}`} />
    </div>
  )),
]

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
      {data.apps.length === 0 && <Empty command="npx postern apps create">There is no app. This makes one, and so does a seed:</Empty>}
      <h2>People</h2>
      <Table
        caption={`Who can be named in calls and triggers. Tokens and passwords are those of the demo seed${
          meta.has_more_people ? '; there are more people' : ''
        }`}
        columns={['Person', 'Id', 'Password', 'Access token', 'Token secret']}
        items={data.people}
        keyOf={({ id }) => id}
        cells={cellsOf}
        empty={<Empty command="npx postern seed <file>">There are no people. A seed brings some:</Empty>}
      />
    </>
  )
}

/** What a newcomer needs: what to paste, then keys and people. */
export const FirstSteps = () => (
  <Loading of={useKeys()}>
    {(keys) => (
      <>
        {keys.data.pastes.length > 0 && <h2>Paste first</h2>}
        <Pastes pastes={keys.data.pastes} />
        <p>
          Or <Link to={['develop', 'trigger']}>make an event here</Link>.
        </p>
        <KeysAndPeople keys={keys} />
      </>
    )}
  </Loading>
)

export const KeysScreen = () => (
  <Page title="People and keys">
    <FirstSteps />
  </Page>
)
