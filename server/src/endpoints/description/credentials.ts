import type { Credentials } from '../../api/reference/authentication.ts'

/** How to authenticate, for the reference. The names are those of the security schemes. */
export const credentials: readonly Credentials[] = [
  {
    title: 'App: bearer token',
    schemes: ['bearerToken', 'appPassword'],
    says: [
      'For what belongs to the app, and for public data. Exchange the consumer key and secret (API key and API key secret) for a bearer token. It does not expire; the same token comes back until it is revoked.',
      'In development, the console shows the keys of the demo app: Develop, People and keys.',
    ].join('\n\n'),
    paste: (origin) =>
      `curl -u "$CONSUMER_KEY:$CONSUMER_SECRET" -d grant_type=client_credentials '${origin}/oauth2/token'
curl -H "Authorization: Bearer $BEARER_TOKEN" '${origin}/2/webhooks'`,
  },
  {
    title: 'User: OAuth 1.0a',
    schemes: ['signedUser', 'signedApp', 'signedRequestToken', 'adsUser', 'accountMember'],
    says: [
      'For what a user does, and for advertising. Every request is signed with HMAC-SHA1 from four values: consumer key and secret, and the access token and its secret. A client library signs for you.',
      'The access token comes from the sign-in: request token, approval page, access token. `postern call` signs as the demo user. In development, a refused signature answers with the address of a page that says what was wrong with it.',
    ].join('\n\n'),
    paste: (origin) => `npx postern call GET '${origin}/2/users/me'`,
  },
  {
    title: 'User: OAuth 2.0',
    schemes: ['oauth2User', 'oauth2Client'],
    says: [
      'For what a user allows by scopes. Send the user to the authorization page with a PKCE challenge, and exchange the code that comes back. An access token lives two hours; with the scope `offline.access` a refresh token renews it, and is replaced each time.',
      'The client id and secret of the app go into the header, as below. A public client has no secret and sends `client_id` in the body.',
    ].join('\n\n'),
    paste: (origin) =>
      `open "${origin}/i/oauth2/authorize?response_type=code&client_id=$CLIENT_ID&redirect_uri=$CALLBACK&scope=users.read%20offline.access&state=$STATE&code_challenge=$CHALLENGE&code_challenge_method=S256"
curl -u "$CLIENT_ID:$CLIENT_SECRET" '${origin}/2/oauth2/token' \\
  -d grant_type=authorization_code -d code="$CODE" -d redirect_uri="$CALLBACK" -d code_verifier="$VERIFIER"
curl -H "Authorization: Bearer $ACCESS_TOKEN" '${origin}/2/users/me'`,
  },
  {
    title: 'Operator token',
    schemes: ['operatorToken'],
    says: 'For those who run Postern, and for tests. A development server makes one at its first start and keeps it in `.postern/operator-token`.',
    paste: (origin) => `OPERATOR_TOKEN=$(cat .postern/operator-token)
curl -H "Authorization: Bearer $OPERATOR_TOKEN" '${origin}/operator/apps'`,
  },
]
