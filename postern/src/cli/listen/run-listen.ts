import { connect } from 'node:net'
import { canonicalEventType } from '../../../../server/src/delivery/events/event-types.ts'
import type { Arguments, RunCommand } from '../command.ts'
import { bearerOf, idOfUser, seededCredentials, tokenOf } from '../credentials/credentials.ts'
import { checkEventType, eventTypes } from '../event-types.ts'
import { writeExactJson } from '../exact-json.ts'
import { EXIT, Failure, wrongUsage } from '../failure.ts'
import type { Output } from '../output.ts'
import { type Json, type Server, sayProblem } from '../server.ts'
import { LISTEN_PATH, type Received, startListener } from './listener.ts'

/** A subscription that was made, or why it was not. */
interface Subscribed {
  event_type: string
  filter: Readonly<Record<string, string>>
  refused?: string
}

/** The calls of an app about its webhooks. */
function createRegistration(server: Server, authorization: string) {
  const call = async (method: string, path: string, json?: object): Promise<{ status: number; body: Json; said: string }> => {
    const headers = { authorization, ...(json && { 'content-type': 'application/json' }) }
    const answer = await server.send({ method, url: server.url + path, headers, body: json && JSON.stringify(json) })
    return { status: answer.status, body: answer.body, said: answer.status < 300 ? '' : sayProblem(`${method} ${path}`, answer) }
  }

  const must = async (method: string, path: string, json?: object): Promise<Json> => {
    const { body, said } = await call(method, path, json)
    if (said !== '') throw new Failure(said)
    return body
  }

  return {
    /** Deletes webhooks of listeners that are gone: those that were killed could not. */
    async removeLeftBehind(): Promise<void> {
      const { data = [] } = await must('GET', '/2/webhooks')
      for (const { id, url } of data as { id: string; url: string }[]) {
        const { hostname, port, pathname } = new URL(url)
        if (pathname.startsWith(LISTEN_PATH) && hostname === '127.0.0.1' && !(await isListening(Number(port))))
          await call('DELETE', `/2/webhooks/${id}`)
      }
    },
    async register(url: string): Promise<string> {
      const body = await must('POST', '/2/webhooks', { url })
      return (body.data ?? body).id
    },
    async subscribe(webhook_id: string, event_type: string, filter: Readonly<Record<string, string>>): Promise<Subscribed> {
      const { said } = await call('POST', '/2/activity/subscriptions', { event_type, filter, webhook_id })
      return said === '' ? { event_type, filter } : { event_type, filter, refused: said }
    },
    /** Its subscriptions go with it. */
    async remove(webhookId: string): Promise<void> {
      await call('DELETE', `/2/webhooks/${webhookId}`)
    },
  }
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** How many of a thing there are: `1 subscription`, `2 subscriptions`. */
const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`

/** Types that are not about a user: their filter is a keyword. */
const BY_KEYWORD = new Set(['news.new'])

const known = Object.keys(eventTypes)

function wantedTypes(given: string | undefined): readonly string[] {
  if (given === undefined) return known
  const names = given.split(',').map((name) => name.trim())
  for (const name of names) checkEventType(name)
  return names.map(canonicalEventType)
}

/** Throws for options that would be ignored. */
function checkUsage({ forward, 'forward-challenges': challenges, events, keyword }: Arguments['options']) {
  if (challenges && forward === undefined) throw wrongUsage('--forward-challenges needs a --forward: the URL that answers them.')
  if (keyword !== undefined && !wantedTypes(events as string | undefined).some((type) => BY_KEYWORD.has(type)))
    throw wrongUsage(`--keyword is for types that match a keyword, and --events names none: add ${[...BY_KEYWORD].join(' or ')}.`)
}

function forwardTo(given: string | undefined): URL | undefined {
  if (given === undefined) return undefined
  if (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)) return new URL(given)
  throw wrongUsage(`--forward is a URL such as http://127.0.0.1:3000/webhook, and not ${given}.`)
}

/** The filters of subscriptions to a type: one for each user, or the keyword. */
function filtersOf(type: string, users: readonly string[], keyword: string | undefined): Record<string, string>[] {
  if (!BY_KEYWORD.has(type)) return users.map((user_id) => ({ user_id }))
  return keyword === undefined ? [] : [{ keyword }]
}

/** Resolves when this process is told to stop, or whoever reads has had enough. */
const stopped = () =>
  new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve())
  })

/** A text of an event that anybody may have sent; empty where it is something else. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function eventLine({ at, kind, event, status, ms, error }: Received, out: Output): string {
  const { data } = (event ?? {}) as { data?: { event_type?: unknown; event_uuid?: unknown } | null }
  const [event_type, event_uuid] = [textOf(data?.event_type), textOf(data?.event_uuid)]
  const isDone = status < 300
  const ended = out.styled(isDone ? 'green' : 'red', `${status} in ${ms} ms`)
  const what = kind === 'event' ? `${event_type || 'event'} ${event_uuid}` : kind
  return `${at.slice(11, 23)}  ${what.trim()}  ${ended}${error === undefined ? '' : `  ${error}`}`
}

/** What an event carries, when it is passed on to nobody who shows it. */
const shownEvent = ({ kind, event }: Received) => (kind === 'event' ? `\n${writeExactJson(event, 2)}` : '')

function sayListening(
  out: Output,
  about: { webhook_id: string; url: string; forward: string | null; subscriptions: Subscribed[]; refused: Subscribed[] },
) {
  const { webhook_id, url, forward, subscriptions, refused } = about
  out.item({ msg: 'listening', ...about }, () => {
    const where = forward === null ? 'shown here alone' : `passed on to ${forward}`
    return `webhook ${webhook_id} (${url}) has ${counted(subscriptions.length, 'subscription')}; its events are ${where}. Ctrl-C removes it.`
  })
  for (const { event_type, refused: why = '' } of refused) out.note(`not subscribed to ${event_type}: ${why.split('\n').at(-1)!.trim()}`)
}

async function subscribeAll(
  registration: ReturnType<typeof createRegistration>,
  webhookId: string,
  given: Arguments,
  users: readonly string[],
) {
  const { events, keyword } = given.options as Record<string, string | undefined>
  const all: Subscribed[] = []
  for (const type of wantedTypes(events))
    for (const filter of filtersOf(type, users, keyword)) all.push(await registration.subscribe(webhookId, type, filter))
  const refused = all.filter((one) => one.refused !== undefined)
  const subscriptions = all.filter((one) => one.refused === undefined)
  if (events !== undefined && refused.length > 0) throw new Failure(refused.map((one) => `${one.event_type}: ${one.refused}`).join('\n'))
  if (subscriptions.length === 0) throw new Failure(refused[0]?.refused ?? 'There is nothing to subscribe to: news.new needs a --keyword.')
  return { subscriptions, refused }
}

/** Registers a webhook of this process, and passes its events on until it is stopped. */
export const runListen: RunCommand = async (given, { out, server }) => {
  const to = forwardTo(given.options.forward as string | undefined)
  wantedTypes(given.options.events as string | undefined)
  checkUsage(given.options)
  const credentials = await seededCredentials(given)
  const ids = given.lists.user?.map((user) => idOfUser(credentials, user)) ?? [tokenOf(credentials, undefined).user_id]
  const registration = createRegistration(server, await bearerOf(server, credentials.app))
  const end = stopped()
  const received = (one: Received) => {
    if (one.kind === 'event' || given.options['forward-challenges'])
      out.item({ msg: one.kind, ...one }, () => `${eventLine(one, out)}${to === undefined ? shownEvent(one) : ''}`)
  }
  const listener = await startListener({
    secret: credentials.app.secret,
    to,
    received,
    forwardChallenges: given.options['forward-challenges'] === true,
  })
  let webhookId: string | undefined
  try {
    await registration.removeLeftBehind()
    webhookId = await registration.register(listener.url)
    const made = await subscribeAll(registration, webhookId, given, ids)
    sayListening(out, { webhook_id: webhookId, url: listener.url, forward: to?.href ?? null, ...made })
    await end
  } finally {
    if (webhookId !== undefined)
      await registration
        .remove(webhookId)
        .catch((error: Error) => out.note(`The webhook ${webhookId} could not be removed: ${error.message}`))
    await listener.close()
  }
  return EXIT.done
}
