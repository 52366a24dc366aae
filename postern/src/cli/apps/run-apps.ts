import type { RunCommand } from '../command.ts'
import { EXIT } from '../failure.ts'
import { tableLines } from '../output.ts'
import type { Json } from '../server.ts'

const HEADINGS = ['id', 'name', 'consumer key', 'permissions', 'ads', 'oauth2 client', 'suspended']
const rowOf = ({ id, name, consumer_key, permissions, ads_access, oauth2_client_id, suspended }: Json) =>
  [id, name, consumer_key, permissions, ads_access ? 'yes' : 'no', oauth2_client_id ?? '–', suspended ? 'yes' : 'no'] as string[]

const MOST = '1000'

/** Lists every app. */
export const runListApps: RunCommand = async (_, { out, server }) => {
  const data: Json[] = []
  let after: string | undefined
  do {
    const page = await server.operator('GET', '/operator/apps', { query: { after, max_results: MOST } })
    data.push(...page.data)
    after = page.meta.next_after
  } while (after !== undefined)
  out.show({ data }, () =>
    data.length === 0 ? ['There are no apps: `postern apps create <name>` creates one.'] : tableLines(HEADINGS, data.map(rowOf)),
  )
  return EXIT.done
}

const credentialLines = ({ id, consumer_key, consumer_secret, oauth2_client_id, oauth2_client_secret }: Json) => [
  `app              ${id}`,
  `consumer key     ${consumer_key}`,
  `consumer secret  ${consumer_secret}`,
  ...(oauth2_client_id ? [`oauth2 client    ${oauth2_client_id}`] : []),
  ...(oauth2_client_secret ? [`client secret    ${oauth2_client_secret}`] : []),
]

/** Creates an app. Its secrets are shown this once. */
export const runCreateApp: RunCommand = async ({ positionals: [name], options, lists }, { out, server }) => {
  const json = {
    name,
    ...(lists['callback-url'] && { callback_urls: lists['callback-url'] }),
    permissions: options.permissions,
    ...(options.ads && { ads_access: true }),
    ...(options.public && { oauth2_client_type: 'public' }),
    consumer_key: options['consumer-key'],
    consumer_secret: options['consumer-secret'],
  }
  const { data } = await server.operator('POST', '/operator/apps', { json })
  out.show({ data }, () => credentialLines(data))
  out.note('No endpoint shows these secrets again.')
  return EXIT.done
}

/** Makes a link to the portal of an app, or ends its portal. */
export const runAppPortal: RunCommand = async ({ positionals: [app], options }, { out, server }) => {
  const path = `/operator/apps/${encodeURIComponent(app!)}/portal`
  if (options.end) {
    const { data } = await server.operator('DELETE', path)
    out.show({ data }, () => [`The portal of app ${app} is closed, and its links end.`])
    return EXIT.done
  }
  const { data } = await server.operator('POST', path)
  out.show({ data }, () => [data.url])
  out.note(`It works once, until ${data.expires_at}: give it to one person, as you would a password.`)
  return EXIT.done
}
