import { encode } from '../../../access/oauth1/base-string.ts'
import type { RejectedSignature } from '../../../access/oauth1/verify.ts'
import { areaOf } from '../../../api/areas.ts'
import { previousSecretOf } from '../../../storage/apps.ts'
import { candidateBodies, candidateHosts } from './candidates.ts'
import type { Pair, Signing } from './signing.ts'

/** A common mistake of clients, and what they sign because of it. */
export interface KnownMistake {
  /** The part that it changes. Two mistakes in the same part are not combined. */
  part: 'origin' | 'path' | 'method' | 'content' | 'order' | 'encoding' | 'secrets' | 'key' | 'hash' | 'writing'
  /** An explanation in sentences; empty if it is not a mistake by itself. */
  message: string | ((signed: Signing, right: Signing, mask: (text: string) => string) => string)
  /** What clients sign instead, in each variant; empty if the mistake is impossible for the request. */
  instead: (right: Signing, refusal: RejectedSignature) => readonly Signing[]
}

/** Applies these changes to any request. */
const always =
  (...changes: Partial<Signing>[]): KnownMistake['instead'] =>
  (right) =>
    changes.map((change) => ({ ...right, ...change }))

/** Changes the parameters. */
const parameters =
  (...changes: ((pairs: readonly Pair[], refusal: RejectedSignature) => readonly Pair[])[]): KnownMistake['instead'] =>
  (right, refusal) =>
    changes.map((change) => ({ ...right, parameters: change(right.parameters, refusal) }))

const without = (from: Pair['from']) => parameters((pairs) => pairs.filter((pair) => pair.from !== from))

const startingWith =
  (...places: Pair['from'][]) =>
  (pairs: readonly Pair[]) =>
    places.flatMap((from) => pairs.filter((pair) => pair.from === from))

const missingIn = (signed: Signing, right: Signing) =>
  right.parameters.filter((pair) => !signed.parameters.includes(pair)).map(({ name }) => name)

const swapScheme = (origin: string) => (origin.startsWith('https:') ? origin.replace('https', 'http') : origin.replace('http', 'https'))

const written = (write: (base64: string) => string): Partial<Signing> => ({ write: (digest) => write(digest.toString('base64')) })

/** The name of the setting with the origins of the called host. */
const originSetting = ({ path }: Signing) => areaOf(path).originSetting

const previousSecret = (right: Signing, consumerSecret: string | null | undefined): Signing[] =>
  consumerSecret ? [{ ...right, consumerSecret }] : []

/** Most likely first: the first that matches is reported. */
export const knownMistakes: readonly KnownMistake[] = [
  {
    part: 'origin',
    message: '',
    instead: (right, { client }) => client.origins.map((origin) => ({ ...right, origin })),
  },
  {
    part: 'secrets',
    message: '',
    instead: (right, { app, nowMs }) => previousSecret(right, app && previousSecretOf(app, nowMs)),
  },
  {
    part: 'secrets',
    message: 'The token secret is missing from the key. The key is the consumer secret, an `&`, and the token secret.',
    instead: always({ tokenSecret: '' }),
  },
  {
    part: 'origin',
    message: ({ origin }, right) =>
      `The client signed a URL of ${origin.split(':')[0]}, but this server's public scheme is ${swapScheme(origin).split(':')[0]}. Behind a proxy that terminates TLS, set ${originSetting(right)} to the public origin, or POSTERN_TRUST_PROXY to the proxy.`,
    instead: (right) => [{ ...right, origin: swapScheme(right.origin) }],
  },
  {
    part: 'origin',
    message: ({ origin }, right, mask) =>
      `The client signed a URL of another host: ${mask(origin)}, and not ${right.origin}. What is signed must be what is called; if a proxy is in between, set ${originSetting(right)} to the origin that clients call.`,
    instead: candidateHosts,
  },
  {
    part: 'content',
    message: 'The parameters of the query were not signed. They belong to the base string, sorted in with all others.',
    instead: without('query'),
  },
  {
    part: 'path',
    message: 'The base string URL contains the query. It must end before the `?`; query parameters are sorted in with all others.',
    instead: (right, { request }) => {
      const path = `${right.path}?${request.query}`
      if (request.query === '') return []
      return [right.parameters, right.parameters.filter(({ from }) => from !== 'query')].map((pairs) => ({
        ...right,
        path,
        parameters: pairs,
      }))
    },
  },
  {
    part: 'content',
    message: 'The parameters of the form in the body were not signed. They belong to the base string, sorted in with all others.',
    instead: without('form'),
  },
  {
    part: 'content',
    message: (_, { parameters }) =>
      parameters.some(({ from }) => from === 'form')
        ? 'The body was signed as one piece. A form is signed parameter by parameter.'
        : 'The body was signed. Only a form is, one that says `content-type: application/x-www-form-urlencoded`; of JSON, multipart or any other body nothing is signed.',
    instead: (right, { request }) => candidateBodies(request).map((more) => ({ ...right, parameters: [...right.parameters, ...more] })),
  },
  {
    part: 'encoding',
    message:
      'Names and values were percent-encoded twice before they were joined. Encode each name and value once, join them, then encode the joined string once.',
    instead: always(
      { encode: (text) => encode(encode(text)) },
      { join: (method, uri, line) => [method, encode(uri), encode(encode(line))].join('&') },
    ),
  },
  {
    part: 'encoding',
    message: 'Spaces were encoded as `+`. In what is signed a space is `%20`, also where the form itself has `+`.',
    instead: always({ encode: (text) => encode(text).replaceAll('%20', '+') }),
  },
  {
    part: 'encoding',
    message:
      "The characters ! ' ( ) * were not encoded. All but letters, digits and - . _ ~ are: `encodeURIComponent` alone does not do it.",
    instead: always({ encode: encodeURIComponent }),
  },
  {
    part: 'encoding',
    message: 'Names and values were not percent-encoded before joining, or the joined string was not percent-encoded afterwards.',
    instead: always({ encode: (text) => text }, { join: (method, uri, line) => [method, encode(uri), line].join('&') }),
  },
  {
    part: 'encoding',
    message: 'Percent-encoding was written in lower case. It must be in upper case: `%2F`, not `%2f`.',
    instead: always({ encode: (text) => encode(text).replace(/%../g, (code) => code.toLowerCase()) }),
  },
  {
    part: 'content',
    message: 'A plus sign was sent as `+`, which means a space in a query and in a form. It must be sent as `%2B`.',
    instead: parameters((pairs) =>
      pairs.map((pair) => (pair.from === 'header' ? pair : { ...pair, value: pair.value.replaceAll(' ', '+') })),
    ),
  },
  {
    part: 'order',
    message: 'The parameters are unsorted. They must be sorted by name and then by value, all together, wherever they stood.',
    instead: (right) =>
      [startingWith('header', 'query', 'form'), startingWith('query', 'form', 'header'), startingWith('form', 'query', 'header')].map(
        (arranged) => ({ ...right, isSorted: false, parameters: arranged(right.parameters) }),
      ),
  },
  {
    part: 'order',
    message: 'The parameters were sorted by locale. Sort them by byte value: capitals come before small letters.',
    instead: (right) => [
      { ...right, isSorted: false, parameters: right.parameters.toSorted((one, other) => one.name.localeCompare(other.name)) },
    ],
  },
  {
    part: 'method',
    message: 'The method was signed in lower case. It must be in capitals.',
    instead: (right) => [{ ...right, method: right.method.toLowerCase() }],
  },
  {
    part: 'method',
    message: ({ method }, right) => `The client signed the method ${method} and sent ${right.method}.`,
    instead: always(...['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'].map((method) => ({ method }))),
  },
  {
    part: 'path',
    message: ({ path }, right, mask) =>
      `The path that was signed is not the one that was sent: ${mask(path)}, and not ${mask(right.path)}.`,
    instead: (right) => {
      const bare = right.path.replace(/(\.json)?\/?$/, '')
      return [bare, `${bare}/`, `${bare}.json`].map((path) => ({ ...right, path }))
    },
  },
  {
    part: 'key',
    message: 'The `&` is missing from the key. It stands behind the consumer secret even when there is no token secret.',
    instead: always({ key: (consumerSecret, tokenSecret) => encode(consumerSecret) + encode(tokenSecret) }),
  },
  {
    part: 'key',
    message: 'The secrets in the key were not percent-encoded. Each must be, before they are joined with `&`.',
    instead: always({ key: (consumerSecret, tokenSecret) => `${consumerSecret}&${tokenSecret}` }),
  },
  {
    part: 'key',
    message: 'The secrets in the key are swapped. The consumer secret comes first, then `&`, then the token secret.',
    instead: (right) => [{ ...right, consumerSecret: right.tokenSecret, tokenSecret: right.consumerSecret }],
  },
  {
    part: 'secrets',
    message: (_, right) =>
      right.tokenSecret ? 'The token itself was used where its secret belongs.' : 'The consumer key was used as its secret.',
    instead: (right, { signed }) => [
      ...(right.tokenSecret ? [{ ...right, tokenSecret: signed!.oauth.get('oauth_token') ?? '' }] : []),
      { ...right, consumerSecret: signed!.oauth.get('oauth_consumer_key')! },
    ],
  },
  {
    part: 'secrets',
    message: 'A secret ends with a line break. Was it read from a file? Trim it.',
    instead: (right) => [
      { ...right, consumerSecret: `${right.consumerSecret}\n` },
      { ...right, tokenSecret: `${right.tokenSecret}\n` },
    ],
  },
  {
    part: 'secrets',
    message: 'This is the consumer secret from before the rotation. It has expired; use the new one.',
    instead: (right, { app }) => previousSecret(right, app?.previousConsumerSecret),
  },
  {
    part: 'hash',
    message: 'The signature is HMAC-SHA256. It must be HMAC-SHA1, whatever else uses SHA-256.',
    instead: always({ hash: 'sha256' }),
  },
  {
    part: 'writing',
    message: 'The signature came with spaces in the place of `+`. It must be percent-encoded as every value is: `+` is `%2B`.',
    instead: always(written((base64) => base64.replaceAll('+', ' '))),
  },
  {
    part: 'writing',
    message: 'The signature was percent-encoded twice.',
    instead: always(written(encode)),
  },
  {
    part: 'writing',
    message: 'The `=` at the end of the signature is missing.',
    instead: always(written((base64) => base64.replace(/=+$/, ''))),
  },
  {
    part: 'writing',
    message: 'The signature is base64url. It must be standard base64 with `+`, `/` and `=`.',
    instead: always(
      { write: (digest) => digest.toString('base64url') },
      written((base64) => base64.replaceAll('+', '-').replaceAll('/', '_')),
    ),
  },
  {
    part: 'writing',
    message: 'The signature is hex. It must be base64.',
    instead: always(
      { write: (digest) => digest.toString('hex') },
      { write: (digest) => digest.toString('hex').toUpperCase() },
      { write: (digest) => Buffer.from(digest.toString('hex')).toString('base64') },
    ),
  },
  {
    part: 'content',
    message: 'A protocol parameter that was sent twice, with the same value in two places, was signed twice. Sign it once.',
    instead: parameters((_, { signed }) => signed!.received.filter(({ name }) => name !== 'oauth_signature')),
  },
  {
    part: 'content',
    message: 'The client signed an empty `oauth_token` but did not send it. Leave it out of both, or send it.',
    instead: parameters((pairs) => [...pairs, { name: 'oauth_token', value: '' }]),
  },
  {
    part: 'content',
    message: 'A parameter without a value was not signed. Sign it as `name=`.',
    instead: parameters((pairs) => pairs.filter(({ value }) => value !== '')),
  },
  {
    part: 'content',
    message: (signed, right, mask) => `This was sent, but was not signed: ${mask(missingIn(signed, right).join(', '))}.`,
    instead: (right) =>
      right.parameters.slice(0, 20).map((left) => ({ ...right, parameters: right.parameters.filter((pair) => pair !== left) })),
  },
]
