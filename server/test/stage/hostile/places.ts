import type { CallOptions } from '../call.ts'
import { demoApp, OPERATOR_TOKEN } from '../postern.ts'

/** A request that carries a text somewhere. */
export interface Carried extends CallOptions {
  method: string
  path: string
}

/** `written` is the text as the place takes it: percent-encoded, or as JSON. */
type Carry = (written: string, token: string) => Carried

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_TYPE = { 'content-type': 'application/json' }
const password = { ...basic(`${demoApp.consumer_key}:${demoApp.consumer_secret}`), ...FORM }

const client = (body: string, headers: Record<string, string>): Carried => ({ method: 'POST', path: '/2/oauth2/token', headers, body })

/** The signature is one that no secret makes. */
const signed = (method: string, path: string, parameters: Record<string, string>): Carried => {
  const time = Math.floor(Date.now() / 1000)
  const sent = { oauth_nonce: 'x', oauth_signature: 'x', oauth_signature_method: 'HMAC-SHA1', oauth_timestamp: `${time}`, ...parameters }
  const pairs = Object.entries(sent).map(([name, value]) => `${name}="${encodeURIComponent(value)}"`)
  return { method, path, headers: { authorization: `OAuth ${pairs.join(', ')}` } }
}

const get = (path: string): Carry => {
  const token = path.startsWith('/operator') ? OPERATOR_TOKEN : undefined
  return (written, bearer) => ({ method: 'GET', path: path.replace('*', () => written), token: token ?? bearer })
}
const remove = (path: string): Carry => {
  return (written, token) => ({ method: 'DELETE', path: path.replace('*', () => written), token })
}
const form = (path: string, body: string): Carry => {
  return (written) => ({ method: 'POST', path, headers: password, body: body.replace('*', () => written) })
}
const json = (path: string, body: string): Carry => {
  return (written, bearer) => ({
    method: 'POST',
    path,
    token: path.startsWith('/operator') ? OPERATOR_TOKEN : bearer,
    headers: JSON_TYPE,
    body: body.replaceAll('*', () => written),
  })
}

const SUBSCRIPTION = '"event_type":"dm.received","filter":{"user_id":"101"}'
const EVENT = '"event_type":"dm.received","user_id":"101"'

/** Every place that a percent-encoded text can stand in. */
export const encodedPlaces: Record<string, Carry> = {
  'a query value': get('/2/activity/subscriptions?pagination_token=*'),
  'a query name': get('/2/webhooks?*=1'),
  'a number in a query': get('/operator/deliveries?max_results=*'),
  'an event id in a query': get('/operator/deliveries?event_uuid=*'),
  'an id in a query': get('/operator/deliveries?webhook_id=*'),
  'a cursor': get('/operator/deliveries?before=*'),
  'ids in a query': remove('/2/activity/subscriptions?ids=*'),
  'a webhook id in a path': remove('/2/webhooks/*'),
  'a subscription id in a path': remove('/2/activity/subscriptions/*'),
  'a job id in a path': get('/operator/replays/*'),
  'a form value': form('/oauth2/token', 'grant_type=*'),
  'a token in a form': form('/oauth2/invalidate_token', 'access_token=*'),
  'a form name': form('/oauth2/token', '*=1'),
}

/** Every place that a JSON string can stand in. */
export const jsonPlaces: Record<string, Carry> = {
  'a callback URL': json('/2/webhooks', '{"url":*}'),
  'a tag': json('/2/activity/subscriptions', `{${SUBSCRIPTION},"tag":*}`),
  'a keyword': json('/2/activity/subscriptions', '{"event_type":"news.new","filter":{"keyword":*}}'),
  'a filter value': json('/2/activity/subscriptions', '{"event_type":"dm.received","filter":{"user_id":*}}'),
  'a filter name': json('/2/activity/subscriptions', '{"event_type":"dm.received","filter":{*:"101"}}'),
  'a webhook id': json('/2/activity/subscriptions', `{${SUBSCRIPTION},"webhook_id":*}`),
  'an enumeration': json('/2/activity/subscriptions', '{"event_type":*,"filter":{}}'),
  'a member name': json('/2/webhooks', '{"url":"https://example.com",*:1}'),
  'a date': json('/2/webhooks/replay', '{"webhook_id":"1","from_date":*,"to_date":"202603011200"}'),
  'an event payload': json('/operator/events', `{${EVENT},"payload":{"deep":[{"deeper":*}]}}`),
  'a name in an event payload': json('/operator/events', `{${EVENT},"payload":{"deep":[{*:1}]}}`),
  'the text of an event': json('/operator/events', `{${EVENT},"payload":{},"text":*}`),
  'an event id': json('/operator/events', `{${EVENT},"payload":{},"event_uuid":*}`),
  'the name of an app': json('/operator/seed', '{"apps":[{"id":"9","name":*,"consumer_key":"nine","consumer_secret":"nine"}]}'),
  'a user name': json('/operator/seed', '{"users":[{"username":*}]}'),
  'the id of a user': json('/operator/seed', '{"users":[{"id":*,"username":"ada"}]}'),
  'a duration': json('/operator/clock', '{"advance":*}'),
}

/** Every place in credentials, for a text as it is. */
export const credentialPlaces: Record<string, Carry> = {
  'an API key': (text) => ({ method: 'POST', path: '/oauth2/token', headers: { ...FORM, ...basic(`${text}:x`) }, body: '' }),
  'an API key secret': (text) => ({
    method: 'POST',
    path: '/oauth2/token',
    headers: { ...FORM, ...basic(`key-one-of-the-tests:${text}`) },
    body: '',
  }),
  'a percent-encoded API key': (text) => ({
    method: 'POST',
    path: '/oauth2/token',
    headers: { ...FORM, ...basic(`${encodeURIComponent(text)}:x`) },
    body: '',
  }),
  'the consumer key of a signature': (text) => signed('POST', '/oauth/request_token', { oauth_consumer_key: text }),
  'the consumer key of an access token': (text) => signed('GET', '/2/webhooks', { oauth_consumer_key: text, oauth_token: 'x' }),
  'a client id': (text) => client(`client_id=${encodeURIComponent(text)}`, FORM),
  'a percent-encoded client id': (text) => client(JSON.stringify({ client_id: encodeURIComponent(text) }), JSON_TYPE),
  'a bearer token': (text) => ({ method: 'GET', path: '/2/webhooks', token: encodeURIComponent(text) || '%' }),
  'an operator token': (text) => ({ method: 'GET', path: '/operator/deliveries', token: encodeURIComponent(text) || '%' }),
}
