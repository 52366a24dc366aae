const RECEIVER = 'http://127.0.0.1:4100/webhook'

const JSON_HEADER = "-H 'Content-Type: application/json'"

/** The four commands that show the main job: a token, a webhook, a subscription, an event. `operatorToken` as a shell writes it. */
export function firstCommands(
  { base_url, operator_url }: { base_url: string; operator_url: string },
  key: string,
  secret: string,
  operatorToken: string,
): string {
  const bearer = (token: string) => `-H "Authorization: Bearer ${token}"`
  return `TOKEN=$(curl -s -u '${key}:${secret}' -d grant_type=client_credentials ${base_url}/oauth2/token | grep -o 'AAAA[^"]*')
WEBHOOK=$(curl -sw '\\n' ${bearer('$TOKEN')} ${JSON_HEADER} -d '{"url":"${RECEIVER}"}' ${base_url}/2/webhooks | tee /dev/stderr | grep -oE '[0-9]{18,19}')
curl -sw '\\n' ${bearer('$TOKEN')} ${JSON_HEADER} -d '{"event_type":"profile.update.bio","filter":{"user_id":"101"},"webhook_id":"'$WEBHOOK'"}' ${base_url}/2/activity/subscriptions
curl -sw '\\n' ${bearer(operatorToken)} ${JSON_HEADER} -d '{"event_type":"profile.update.bio","user_id":"101","payload":{"before":"Ahoy","after":"Hello"}}' ${operator_url}/operator/events
`
}
