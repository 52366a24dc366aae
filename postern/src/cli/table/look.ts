import type { Command } from '../command.ts'
import { credentials, time } from './events.ts'

/** Look into what is not as it should be. */
export const lookCommands: readonly Command[] = [
  {
    name: 'requests',
    summary: 'List the last calls that the server answered, and why those were refused that were.',
    about: 'Secrets are masked. Headers and bodies are in the JSON.',
    examples: [
      'postern requests',
      { line: 'postern requests --status 401 --json', says: 'with headers and bodies' },
      { line: 'postern requests --path /2/webhooks --follow', says: 'as they come, until Ctrl-C' },
    ],
    options: {
      status: { type: 'string', value: 'status', summary: 'Only calls that were answered so.' },
      path: { type: 'string', value: 'path', summary: 'Only calls whose path begins so.' },
      app: { type: 'string', value: 'id', summary: 'Only calls of this app.' },
      'max-results': { type: 'string', value: 'number', default: '20', summary: 'How many, at most 1000.' },
      follow: { type: 'boolean', short: 'f', summary: 'Go on with those that come.' },
    },
    load: async () => (await import('../requests/run-requests.ts')).runRequests,
  },
  {
    name: 'processes',
    summary: 'List the processes that share the database: where each runs, its roles, and how it does.',
    about: 'One that is frozen does not answer the others, which have taken over its deliveries: kill it on its host.',
    examples: ['postern processes', 'postern processes --json'],
    options: {},
    load: async () => (await import('../processes/run-processes.ts')).runProcesses,
  },
  {
    name: 'audit',
    summary: 'List what operators changed, newest first: with whose token, from where, and before and after.',
    about: 'Publishing is not in it, nor are calls that only read.',
    examples: [
      'postern audit',
      { line: 'postern audit --action revokeTokens', says: 'whose tokens were revoked, and by whom' },
      { line: 'postern audit --target 101 --from 1d', says: 'what was done to an app or a user since yesterday' },
    ],
    options: {
      action: { type: 'string', value: 'endpoint', summary: 'Only calls of this endpoint, such as updateApp.' },
      actor: { type: 'string', value: 'name', summary: 'Only with the token of this name; POSTERN_OPERATOR_TOKEN is that without one.' },
      target: { type: 'string', value: 'id', summary: 'Only about this app or user.' },
      from: time('From then on.'),
      to: time('Before then.'),
      'max-results': { type: 'string', value: 'number', default: '20', summary: 'How many, at most 1000.' },
    },
    load: async () => (await import('../audit/run-audit.ts')).runAudit,
  },
  {
    name: 'explain',
    summary: 'Say why a request was refused, in words.',
    about:
      'In development the answer to a refused request names its explanation in the header x-postern-explain; the log of the server has it too.',
    examples: [
      { line: 'postern explain', says: 'the last call that was refused' },
      { line: 'postern explain http://127.0.0.1:4000/oauth/explanations/Zm9yIHJlYWRlcnMgb25seQ', says: 'the value of x-postern-explain' },
      { line: 'postern explain Zm9yIHJlYWRlcnMgb25seQ', says: 'its last part is enough' },
    ],
    arguments: [{ name: 'url or id', summary: 'The explanation. Default: that of the last call that was refused.' }],
    options: {},
    load: async () => (await import('../explain/run-explain.ts')).runExplain,
  },
  {
    name: 'doctor',
    summary: 'Try a callback URL step by step, as Postern and the real service use it, and say what to mend.',
    about:
      'Name, connection, TLS, challenge, a signed event, the same event again, a wrong signature, an altered body. Each step says how long it took. No server is needed when the consumer secret is given. With the id of a webhook the running server challenges it and tells the steps, as the console does; that decides whether the webhook is valid.',
    examples: [
      { line: 'postern doctor http://127.0.0.1:3000/webhook', says: 'with the consumer secret of the demo app' },
      { line: 'postern doctor https://bot.example.com/webhook --secret "$CONSUMER_SECRET" --dialect x' },
      { line: 'postern doctor 1997712707928100864', says: 'a webhook, challenged by the server' },
    ],
    arguments: [{ name: 'callback', summary: 'The URL where it listens, or the id of a webhook.', required: true }],
    options: {
      secret: {
        type: 'string',
        value: 'secret',
        summary: 'The consumer secret that the callback knows. Default: POSTERN_CONSUMER_SECRET, or that of the seed.',
      },
      dialect: {
        type: 'string',
        values: ['spec', 'x'],
        summary: 'Which name the signature header has. Default: that of the running server, or spec.',
      },
      ca: { type: 'string', value: 'file', summary: 'Certificates (PEM) to trust beside the usual ones.' },
      event: { type: 'string', value: 'type', default: 'dm.received', summary: 'The event type of the events that are sent.' },
      ...credentials,
    },
    exitCodes: { 0: 'The callback does everything right; there may be advice.', 1: 'Something is to be mended.' },
    load: async () => (await import('../doctor/run-doctor.ts')).runDoctor,
  },
  {
    name: 'call',
    summary: 'Call an endpoint as a user of the seed, signed with OAuth 1.0a.',
    about:
      'Parameters go into the query of GET and DELETE, into JSON for paths below /2/, else into a form; in JSON a value may be true, false, {…} or […]. A parameter that begins with { or [ is the JSON body as it is. With media=@file all go into a multipart body with that file. The answer is printed as it is; a refused call exits with 1.',
    examples: [
      'postern call GET /2/users/me',
      'postern call POST /2/posts text=Ahoy',
      { line: `postern call POST /2/posts '{"text":"Ahoy"}'`, says: 'the body as it is' },
      { line: 'postern call GET /12/accounts count=10', says: 'the advertising API, on the next port' },
      { line: 'postern call POST /2/media/upload media=@photo.png media_category=tweet_image', says: 'a file' },
      { line: 'postern call GET /2/webhooks --as-app', says: 'with the bearer token of the app' },
    ],
    arguments: [
      { name: 'method', summary: 'GET, POST, PUT, PATCH or DELETE.', required: true },
      { name: 'url', summary: 'A URL, or a path of the general or the advertising API.', required: true },
      { name: 'name=value', summary: 'A parameter.', repeated: true },
    ],
    options: {
      as: { type: 'string', value: 'user', summary: 'As this user (id or username) who has a token in the seed. Default: the first.' },
      'as-app': { type: 'boolean', summary: 'With the bearer token of the app instead.' },
      ...credentials,
    },
    load: async () => (await import('../call/run-call.ts')).runCall,
  },
]
