import { existsSync } from 'node:fs'
import type { Origins } from './assemble.ts'
import { firstCommands } from './endpoints/description/first-commands.ts'
import type { DEMO_USER } from './endpoints/operator/seed/read-seed.ts'
import type { SeedDocument } from './endpoints/operator/seed/seed-document.ts'

/** Whether `npm run receive` starts a receiver: in a clone it does; the package has the command `postern listen` instead. */
const isClone = () => existsSync(new URL('../../receiver/package.json', import.meta.url))

const whatToPaste = (commands: string): string =>
  isClone()
    ? `Start a receiver in a second terminal: npm run receive
Then paste, in a third:

${commands}`
    : `Receive events in a second terminal:   npx postern listen
Make one in a third:                   npx postern trigger dm.received --to ada --text Hello
Run your program against it:           npx postern run -- node bot.js
`

/** What a newcomer reads at a terminal: where it listens, the keys and tokens of the demo seed, its user, what to paste, and a clock that is not right. */
export function welcome(
  origins: Origins,
  seed: SeedDocument | undefined,
  operatorToken: string | undefined,
  user?: typeof DEMO_USER,
  clockNotice?: string,
): string {
  const listens = `
Postern listens on ${origins.base_url}   (API reference: ${origins.base_url}/docs)
  advertising on   ${origins.ads_base_url}, its sandbox on ${origins.ads_sandbox_base_url}
${clockNotice ? `  ${clockNotice}\n` : ''}`
  const app = seed?.apps?.[0]
  const token = seed?.tokens?.[0]
  if (!app?.consumer_key || !app.consumer_secret || !operatorToken) return `${listens}\n`
  return `${listens}
  consumer key     ${app.consumer_key}
  consumer secret  ${app.consumer_secret}
  operator token   ${operatorToken}
${app.oauth2_client_id ? `  OAuth 2.0 client ${app.oauth2_client_id}${app.oauth2_client_secret ? `, secret ${app.oauth2_client_secret}` : ''}\n` : ''}${token ? `  access token     ${token.oauth_token}, secret ${token.oauth_token_secret}\n` : ''}${user ? `  demo user        ${user.username}, password ${user.password}\n` : ''}
${whatToPaste(firstCommands(origins, app.consumer_key, app.consumer_secret, operatorToken))}
`
}
