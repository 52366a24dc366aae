import type { Origins } from './assemble.ts'
import type { DEMO_USER } from './endpoints/operator/seed/read-seed.ts'
import type { SeedDocument } from './endpoints/operator/seed/seed-document.ts'

const RECEIVER = 'http://127.0.0.1:4100/webhook'

const JSON_HEADER = "-H 'Content-Type: application/json'"

/** The four commands that show the main job: a token, a webhook, a subscription, an event. `operatorToken` as a shell writes it. */
export function firstCommands({ base_url, operator_url }: Origins, key: string, secret: string, operatorToken: string): string {
  const bearer = (token: string) => `-H "Authorization: Bearer ${token}"`
  return `TOKEN=$(curl -s -u '${key}:${secret}' -d grant_type=client_credentials ${base_url}/oauth2/token | grep -o 'AAAA[^"]*')
WEBHOOK=$(curl -sw '\\n' ${bearer('$TOKEN')} ${JSON_HEADER} -d '{"url":"${RECEIVER}"}' ${base_url}/2/webhooks | tee /dev/stderr | grep -oE '[0-9]{18,19}')
curl -sw '\\n' ${bearer('$TOKEN')} ${JSON_HEADER} -d '{"event_type":"profile.update.bio","filter":{"user_id":"101"},"webhook_id":"'$WEBHOOK'"}' ${base_url}/2/activity/subscriptions
curl -sw '\\n' ${bearer(operatorToken)} ${JSON_HEADER} -d '{"event_type":"profile.update.bio","user_id":"101","payload":{"before":"Ahoy","after":"Hello"}}' ${operator_url}/operator/events
`
}

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
Start a receiver in a second terminal: npm run receive
Then paste, in a third:

${firstCommands(origins, app.consumer_key, app.consumer_secret, operatorToken)}
`
}
